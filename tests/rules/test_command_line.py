"""``python -m rules``: the replay interface to the letter, the list of games, records, and games in the terminal."""

from __future__ import annotations

import itertools
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rules import Phase, Position, Record, Ruleset, ruleset
from rules.__main__ import main
from rules.pages import Example, sections
from tests.support.command_line import CommandLine, objects
from tests.support.diagrams import Reading
from tests.support.each import for_each
from tests.support.positions import ANY_GAME, SMALLEST, ids, random_turns
from tests.support.sources import ROOT
from tests.support.thorough import covered, sample

every_small_ruleset = for_each("rules_of", SMALLEST, ids)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that does not exist yet."""
    return tmp_path / "file"


def named(rules_of: Ruleset) -> list[str]:
    """The arguments that name a ruleset."""
    return [rules_of.game.name, "--size", str(rules_of.size), "--variant", rules_of.variant]


def in_a_process(*arguments: str, typed: bytes = b"", encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "rules", *arguments],
        input=typed,
        capture_output=True,
        cwd=ROOT,
        env={"PYTHONIOENCODING": encoding, "PYTHONWARNINGS": "error"},
        timeout=60,
        check=False,
    )


# replay


def test_replay_prints_the_start_and_the_position_after_each_turn(run: CommandLine) -> None:
    printed = run.prints_objects("replay", "dalen", "--size", "5", typed="e5\nlight\nd4\n")
    keys = ("ply", "turn", "phase", "to_play", "cells", "score", "result")
    assert [tuple(line) for line in printed] == [keys] * 4
    assert [tuple(line.values()) for line in printed] == [
        (0, None, "opening", None, {}, {"dark": 0, "light": 0}, None),
        (1, "e5", "choice", None, {"e5": "d"}, {"dark": 1, "light": 0}, None),
        (2, "light", "play", "light", {"e5": "d"}, {"dark": 1, "light": 0}, None),
        (3, "d4", "play", "dark", {"d4": "l", "e5": "d"}, {"dark": 1, "light": 1}, None),
    ]


def test_replay_lists_the_legal_turns_sorted_as_text_only_when_asked(run: CommandLine) -> None:
    listed = run.prints_objects("replay", "dalen", "--legal", typed="g7\nlight\nf6\n")
    opening, choice, first, second = (line["legal"] for line in listed)
    board = ruleset("dalen").board
    names = set(board.names(board.mask))
    assert opening == sorted(names)
    assert opening.index("g10") < opening.index("g2")
    assert choice == ["dark", "light"]
    assert first == sorted(names - {"g7"})
    assert second == sorted(names - {"g7", "f6"})
    plain = run.prints_objects("replay", "dalen", typed="g7\nlight\nf6\n")
    assert plain == [{key: line[key] for key in line if key != "legal"} for line in listed]


@every_small_ruleset
def test_replay_of_a_whole_game_agrees_with_the_library(run: CommandLine, rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)
    position = rules_of.start()
    printed = run.prints_objects("replay", *named(rules_of), "--legal", typed="\n".join(turns))
    assert len(printed) == len(turns) + 1
    keys = ["ply", "turn", "phase", "to_play", "cells", "score", "result", "legal"]
    if position.held() is not None:
        keys.insert(6, "held")
    for ply, line in enumerate(printed):
        if ply:
            position, _ = position.play(turns[ply - 1])
        without_legal = not position.lists_openings and ply == 0
        assert list(line) == (keys[:-1] if without_legal else keys)
        assert (line["ply"], line["turn"]) == (ply, turns[ply - 1] if ply else None)
        assert line["phase"] == position.phase == ("opening", "choice", line["phase"])[min(ply, 2)]
        assert line["to_play"] == (None if position.to_play is None else position.sides[position.to_play])
        assert line["cells"] == position.pieces()
        assert line["score"] == position.score()
        assert line.get("held") == position.held()
        assert without_legal or line["legal"] == sorted(position.legal_turns)
        outcome = position.outcome
        winner = None if outcome is None or outcome.winner is None else position.sides[outcome.winner]
        assert line["result"] == (outcome and {"winner": winner, "reason": outcome.reason})
    assert (printed[-1]["phase"], printed[-1]["to_play"], printed[-1]["legal"]) == ("over", None, [])


@for_each(
    "case",
    [
        # Prisoners, and the half point of the first pass.
        (
            *("fiodar", "g7\nwhite\npass\npass\n"),
            {
                "score": {"black": 126, "white": 0.5},
                "held": {"black": 0, "white": 0},
                "result": {"winner": "black", "reason": "score"},
            },
        ),
        # The lengths of the snakes.
        (
            *("nadraz", "e6, h9\nblack\nE7 - E8\n"),
            {
                "turn": "e7-e8",
                "score": {"black": [3], "white": [1]},
                "cells": {"e6": "b", "e7": "b", "e8": "b", "h9": "w"},
            },
        ),
    ],
)
def test_replay_prints_what_a_game_has_of_its_own(run: CommandLine, case: tuple[str, str, dict[str, object]]) -> None:
    game, typed, expected = case
    last = run.prints_objects("replay", game, typed=typed)[-1]
    assert {key: last[key] for key in expected} == expected


def test_the_acts_of_dendria_are_read_and_printed(run: CommandLine) -> None:
    turns = "g4,dark,b2,j13,h10,h4,e4,m7,d10,a2,e1,f6,h6,h12,l8,k12,g9,k10".replace(",", "\n")
    before, after = run.prints_objects("replay", "dendria", "--size", "7", typed=f"{turns}\nI11 + H10\n")[-2:]
    assert after["turn"] == "i11+h10"
    assert before["cells"]["h10"][1] == "S"
    mover = before["to_play"][0]
    assert after["cells"] == {**before["cells"], "h10": f"{mover}D", "i11": f"{mover}S"}


def test_replay_uses_the_default_size_and_variant_unless_others_are_given(run: CommandLine) -> None:
    with_defaults = run.prints("replay", "dalen", "--size", "7", "--variant", "standard", "--legal", typed="g7\n")
    assert run.prints("replay", "dalen", "--legal", typed="g7\n") == with_defaults
    for variant, last in (("standard", "l"), ("leaves", "d")):
        typed = "e5\nlight\ne6\ne4\n"
        printed = run.prints_objects("replay", "dalen", "--size", "5", "--variant", variant, typed=typed)
        assert printed[-1]["cells"] == {"e4": "d", "e5": "d", "e6": last}


@for_each("typed", [*("g7\r\nlight\r\n", "g7\rlight\r", "g7\nlight", "\n\n  \ng7\n\t\nlight\n\n"), "  G7 \n\tLIGHT\n"])
def test_any_line_ending_case_and_space_is_accepted(file: Path, typed: str, run: CommandLine) -> None:
    file.write_bytes(typed.encode())
    printed = run.prints_objects("replay", "dalen", file)
    assert [(line["ply"], line["turn"]) for line in printed] == [(0, None), (1, "g7"), (2, "light")]


@for_each(
    "case",
    [
        ("\ng7\n\nlight\n\n\ng7\nf6\n", 3, "line 7: g7: g7 is taken by a dark stone"),
        (
            *("dark\n", 1),
            "line 1: dark: a side is chosen after the opening; name a cell by its letter and number, such as g7",
        ),
        ("g7\nf6\n", 2, "line 2: f6: the second player chooses a side now: dark or light"),
        ("g7\nlight\npass\n", 3, "line 3: pass: you can pass only when you have no legal placement"),
        ("g7\nlight\n  A13 \n", 3, "line 3: A13: a13 is off the board, which runs from a1 to m13"),
        ("d5\ndark\ni9\ne6\nh9\ne5\n", 6, "line 6: e5: e5 is next to two of your leaves: d5, e6"),
    ],
)
def test_a_refused_turn_stops_the_replay_with_one_line_and_exit_status_2(
    run: CommandLine, case: tuple[str, int, str]
) -> None:
    typed, printed, error = case
    status, out, err = run("replay", "dalen", typed=typed)
    assert (status, len(objects(out)), err) == (2, printed, f"{error}\n")


NO_TURNS = ["pass", "z9", "b2-b4-b6", "e5+", "*", "+-,", "b3,b3", "🂡", "aa1", "\x1b[2J"]


@for_each("case", covered(SMALLEST, NO_TURNS))
def test_a_text_that_is_not_a_turn_is_refused_in_one_line_in_every_game(
    run: CommandLine, case: tuple[Ruleset, str]
) -> None:
    rules_of, typed = case
    turns = random_turns(rules_of)
    for ply in range(3):
        if (ply, typed) == (0, "pass") or typed != "pass":
            status, out, err = run("replay", *named(rules_of), typed="\n".join([*turns[:ply], "", typed, "a1"]))
            assert (status, len(objects(out))) == (2, ply + 1)
            assert err.startswith(f"line {ply + 2}: ")
            assert err.index("\n") == len(err) - 1
            assert err[:-1].isprintable()
    status, out, err = run("replay", *named(rules_of), typed="\n".join([*turns, "pass"]))
    assert (status, objects(out)[-1]["phase"]) == (2, "over")
    assert err == f"line {len(turns) + 1}: pass: the match is over, so no more turns can be played\n"


@for_each(
    "arguments",
    ["dalen --size 7 --variant leaves --legal FILE", "dalen FILE --legal", "--size 5 dalen FILE", "dalen --legal FILE"],
)
def test_the_options_may_stand_before_or_after_the_file(file: Path, run: CommandLine, arguments: str) -> None:
    file.write_text("e5\nlight\n", encoding="utf-8")
    printed = run.prints_objects("replay", *arguments.replace("FILE", str(file)).split(), typed="nothing here is read")
    assert [line["turn"] for line in printed] == [None, "e5", "light"]
    assert all(("legal" in line) is ("--legal" in arguments) for line in printed)


@for_each(
    "case",
    [
        *(
            (f"replay dalen {wrong}", "unrecognized arguments")
            for wrong in ("FILE FILE", "--lines FILE", "FILE --lines")
        ),
        *((f"replay dalen {missing}", missing) for missing in ("FOLDER/missing", "FOLDER/.")),
        *((f"record {missing}", missing) for missing in ("FOLDER/missing", "FOLDER/.")),
        *(
            (f"{command} {arguments}", message)
            for command in ("replay", "play")
            for arguments, message in (
                ("chess", f"there is no game “chess”; the games are {', '.join(ANY_GAME)}"),
                ("fiodar --size 6", "Fiodar is played on sizes 5, 7, not 6"),
                *(
                    (f"dalen --size {size}", f"Dalen is played on sizes 5, 6, 7, 8, 9, not {size}")
                    for size in (4, 0, -7)
                ),
                ("dalen --size seven", "invalid int value: 'seven'"),
                (f"dalen --size {'9' * 5000}", "invalid int value"),
                ("dalen --variant reverse", "Dalen has the variants standard, leaves, not “reverse”"),
                ("", "the following arguments are required: game"),
            )
        ),
        ("play dalen --level 6", "argument --level: invalid choice: 6"),
        ("play dalen --level strong", "argument --level: invalid int value: 'strong'"),
        ("play dalen --second", "--second lets the computer open, so it needs a --level"),
        ("diagram --game dalen ●e5 ○e5 dark", "two pieces stand on e5"),
        ("diagram --size 5 ●e5 dark", "--size and --variant need --game"),
        ("diagram missing.txt", "missing.txt: No such file or directory"),
        *((wrong, "usage: ") for wrong in ("", "rewind", "list more")),
    ],
)
def test_wrong_arguments_are_refused_in_words(tmp_path: Path, run: CommandLine, case: tuple[str, str]) -> None:
    (tmp_path / "file").write_text("e5\n", encoding="utf-8")
    arguments, message = (
        text.replace("FILE", str(tmp_path / "file")).replace("FOLDER", str(tmp_path)) for text in case
    )
    assert message in run.refuses(*arguments.split())


# In a separate process


@pytest.mark.parametrize(
    "arguments",
    sample(
        [
            ("engine",),
            ("list",),
            ("arena", "random", "random", "--game", "dalen", "--size", "3", "--pairs", "1", "--processes", "1"),
            ("replay", "dalen", "--size", "5"),
        ],
        2,
    ),
)
def test_it_ends_quietly_when_its_output_is_closed(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    pipes: dict[str, Any] = {"input": b"{}\n", "stdout": writer, "stderr": subprocess.PIPE}
    ended = subprocess.run([sys.executable, "-m", "rules", *arguments], **pipes, cwd=ROOT, timeout=60, check=False)
    os.close(writer)
    assert ended.returncode == 1
    assert b"Error" not in ended.stderr


@pytest.mark.parametrize(("encoding", "in_a_file"), covered(["ascii", "utf-8:strict"], [False, True]))
def test_invalid_utf_8_is_refused_like_any_other_turn(encoding: str, in_a_file: bool, file: Path) -> None:
    typed = b"g7\n\xff\xfe\x80\n"
    file.write_bytes(typed)
    arguments, given = ([str(file)], b"") if in_a_file else ([], typed)
    done = in_a_process("replay", "dalen", *arguments, typed=given, encoding=encoding)
    assert (done.returncode, len(objects(done.stdout))) == (2, 2)
    assert done.stderr.startswith(b"line 2: ")
    assert done.stderr.count(b"\n") == 1


def test_invalid_utf_8_does_not_stop_a_game_in_the_terminal() -> None:
    done = in_a_process("play", "dalen", typed=b"\xff\xfe\ng7\n\n", encoding="utf-8:strict")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count("●".encode()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent in another way there")
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_a_game_quietly() -> None:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-m", "rules", "play", "dalen"], cwd=ROOT, **pipes) as game:
        assert game.stdout is not None
        assert game.stderr is not None
        printed = b""
        while not printed.endswith(b"Opening: "):
            printed += game.stdout.read(1)
            assert printed
        game.send_signal(signal.SIGINT)
        assert game.wait(timeout=60) == 130
        assert game.stderr.read() == b""


# list and play


def test_list_names_every_game_with_its_sizes_and_variants(run: CommandLine) -> None:
    *lines, note = run.prints("list").splitlines()
    assert lines[0] == "dalen: dark and light; sizes 5, 6, 7*, 8, 9; variants standard, leaves"
    assert [line.partition(":")[0] for line in lines] == list(ANY_GAME)
    assert note == "* the default"


@every_small_ruleset
def test_two_people_can_play_a_whole_game(run: CommandLine, rules_of: Ruleset) -> None:
    game, turns = rules_of.game, random_turns(rules_of)
    end = rules_of.replay(turns)
    assert end.outcome is not None
    out = run.prints("play", *named(rules_of), typed="\n".join([*turns, ""]))
    assert out.startswith(f"{game.title} on size {rules_of.size}.")
    won = "A draw" if end.outcome.winner is None else f"{game.sides[end.outcome.winner].title()} wins"
    points = f": {game.sides[0]} " if end.score() else "."
    assert f"{end}\n\n{won} {game.reasons[end.outcome.reason]}{points}" in out
    assert out.count("Opening: ") == out.count("Choice of side: ") == 1
    assert sum(out.count(f"{side.title()}: ") for side in game.sides) == len(turns) - 2
    position = rules_of.start()
    for turn in turns:
        assert f"\n{position}\n" in out
        position, _ = position.play(turn)
    said = " ".join(out.split())
    assert "the letter at the foot of its column and the number at the left end of its row" in said
    assert f": {end.board.name(end.board.centre)} is the centre." in said
    assert "With --level 1 to --level 5, you play the computer." in said


def test_the_end_is_reported_with_the_score(run: CommandLine) -> None:
    out = run.prints("play", "fiodar", typed="g7\nwhite\npass\npass\n")
    assert out.endswith("\n\nBlack wins on points: black 126, white 0.5.\n")


def test_a_refused_turn_is_explained_and_asked_for_again(run: CommandLine) -> None:
    out = run.prints("play", "dalen", "--size", "5", typed="z1\ne5\nwhite\nlight\ne5\n\n")
    assert "z1: z1 is off the board, which runs from a1 to i9" in out
    assert "white: the second player chooses a side now: dark or light" in out
    assert "e5: e5 is taken by a dark stone" in out
    assert out.count("Opening: ") == out.count("Choice of side: ") == out.count("Light: ") == 2
    assert out.endswith("stopped\n")


def test_a_question_mark_lists_the_legal_turns(run: CommandLine) -> None:
    assert "Choice of side: dark light\n" in run.prints("play", "dalen", "--size", "5", typed="e5\n?\n")
    out = run.prints("play", "nadraz", typed="e6,h9\nblack\ne7?\nh9?\n? \n\n")
    begun = next(line for line in out.splitlines() if line.startswith("Black: e7 "))
    assert "e7-e8" in begun.split()
    assert all(turn.startswith("e7") for turn in begun.split()[1:])
    assert "Black: h9?: " in out
    assert f"Black: {' '.join(ruleset('nadraz').replay(['e6,h9', 'black']).legal_turns)}\n" in out


def test_a_question_mark_does_not_list_all_pairs_of_eggs(run: CommandLine) -> None:
    out = run.prints("play", "nadraz", "--size", "14", typed="?\nn14?\nb2,?\nn14,b2\n?\n")
    for line, words in (("Opening: begin with: b2 c2 ", 3 + 469), ("Opening: n14,b2 n14,c2 ", 1 + 468)):
        assert len(next(printed for printed in out.splitlines() if printed.startswith(line)).split()) == words
    assert "Opening: b2,?: " in out
    assert "Choice of side: black white\n" in out


def test_the_board_is_not_printed_again_after_an_error_or_a_question(run: CommandLine) -> None:
    plain = run.prints("play", "fiodar", "--size", "5", typed="e5\nwhite\nd4\n")
    out = run.prints("play", "fiodar", "--size", "5", typed="zz\n?\ne5\ne5\n?\nwhite\ne5\ne6?\nd4\nd4\nz1\n")
    feet = "\n                e\n"
    assert out.count(feet) == plain.count(feet) == 4
    assert "e5: e5 is taken" in out


class Person:
    """A terminal where a person types a random turn whenever asked for one."""

    def __init__(self, start: Position, printed: pytest.CaptureFixture[str]) -> None:
        self.position, self.printed = start, printed
        self.chance, self.turns, self.out = random.Random(start.name), [0, 0], ""

    def read_on(self) -> str:
        """Read and play the computer's turns printed since the last read."""
        self.out += (printed := self.printed.readouterr().out)
        for turn in re.findall(", the computer: (.*)$", printed, re.MULTILINE):
            self.turns[1] += 1
            self.position, _ = self.position.play(turn)
        return self.out

    def readline(self) -> str:
        self.read_on()
        begun = self.position.lists_openings or self.position.phase is not Phase.OPENING
        turn = self.chance.choice(self.position.legal_turns) if begun else "e5,f7"
        self.turns[0] += 1
        self.position, _ = self.position.play(turn)
        return f"{turn}\n"


@pytest.mark.parametrize(("game", "second"), [("dalen", False), ("fiodar", True), ("hedu", False)])
def test_a_whole_game_can_be_played_against_the_computer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], game: str, second: bool
) -> None:
    person = Person(ruleset(game, 5).start(), capsys)
    monkeypatch.setattr(sys, "stdin", person)
    assert main(["play", game, "--size", "5", "--level", "1", *(["--second"] if second else [])]) == 0
    out = person.read_on()
    assert "You play the computer, level 1." in out
    assert person.position.outcome is not None
    assert f"\n{person.position}\n\n" in out
    assert f" {person.position.reasons[person.position.outcome.reason]}: " in out
    assert ("Opening, the computer: " in out) is ("Choice of side: " in out) is second
    assert min(person.turns) > 3


@for_each("typed", ["", "\n", "g7\n", "g7\n  \nlight\n"])
def test_the_end_of_input_stops_the_game(run: CommandLine, typed: str) -> None:
    out = run.prints("play", "dalen", typed=typed)
    assert out.endswith("stopped\n")
    assert "Light: " not in out


# diagram


def on_a_page(printed: str) -> Example:
    """Read printed text as a page with one example."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rules.pages.text", lambda page, language="en": f"# Page\n\n{printed}")
        (example,) = (piece for section in sections.__wrapped__("page") for piece in section.content)
    assert isinstance(example, Example)
    Reading(example).read()
    return example


@for_each(
    "case",
    [
        (("--game", "dalen", "--size", "5", "○d4", "●e5", "light"), ["dark: e5", "light: d4", "to play: light"]),
        (("--game", "dalen", "--size", "3", "--variant", "leaves", "C3 dark"), ["turns: c3 dark", "to play: light"]),
        (("--game", "tern", "A1 blue d4"), ["turns: a1 blue d4", "to play: red"]),
        (("--game", "hedu", "2"), ["black: g4 g10", "white: none"]),
    ],
)
def test_a_printed_diagram_can_be_put_on_a_rule_page(run: CommandLine, case: tuple[tuple[str, ...], list[str]]) -> None:
    arguments, claims = case
    example = on_a_page(run.prints("diagram", *arguments))
    assert [": ".join(claim) for claim in example.claims] == claims
    assert example.ruleset.size == int(dict(itertools.pairwise(arguments)).get("--size", example.ruleset.size))


@for_each("count", [9, None])
def test_a_diagram_shows_the_last_position_of_a_record(run: CommandLine, file: Path, count: int | None) -> None:
    rules_of = ruleset("nadraz", 6, "reverse")
    turns = random_turns(rules_of)[:count]
    outcome = rules_of.replay(turns).outcome
    result = "*" if outcome is None else Record.result_of(outcome.winner)
    file.write_text(str(Record(rules_of, turns, result)), encoding="utf-8")
    example = on_a_page(run.prints("diagram", file))
    assert (example.ruleset, example.position()) == (rules_of, rules_of.replay(turns))


# record

WRITTEN = '[Game "dalen"]\n[Size "7"]\n[Variant "standard"]\n[Dark "Bö"]\n[Result "1-0"]\n\n1. g7 2. light 3. e5 1-0\n'


@every_small_ruleset
def test_a_record_is_checked_and_written_canonically(run: CommandLine, file: Path, rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)
    outcome = rules_of.replay(turns).outcome
    assert outcome is not None
    written = str(Record(rules_of, turns, Record.result_of(outcome.winner), {"Note": 'x "y" \\'}))
    assert run.prints("record", "-", typed=written) == written
    file.write_text(f"{written}\x1a", encoding="utf-8-sig", newline="\r\n")
    assert run.prints("record", file) == written
    assert run.prints("record", file, "--replay") == run.prints("replay", *named(rules_of), typed="\n".join(turns))


def test_a_record_may_end_before_the_game(run: CommandLine) -> None:
    loose = '[Dark "Bö"][Result "1-0"] [Game "dalen"] G7 {c} light E5 ; d'
    left_out = "Comments, variations, signs such as ! and headings are left out.\n"
    assert run("record", "-", typed=loose) == (0, WRITTEN, left_out)
    _, out, _ = run("record", "--replay", "-", typed=loose)
    assert [line["turn"] for line in objects(out)] == [None, "g7", "light", "e5"]


def test_several_records_in_one_file_are_checked_together(run: CommandLine) -> None:
    both = WRITTEN + "\n" + '[Game "hedu"]\n[Size "5"]\n[Variant "standard"]\n[Result "*"]\n\n1. e5 *\n'
    assert run.prints("record", "-", typed=both) == both
    printed = run.prints_objects("record", "--replay", "-", typed=both)
    assert [line["turn"] for line in printed] == [None, "g7", "light", "e5", None, "e5"]
    run.refuses("record", "-", typed=both.replace("1. e5 *", "1. z9 *"))


@for_each(
    "case",
    [
        ("", f"line 1: the tag Game is missing; it names the game: {', '.join(ANY_GAME)}"),
        (WRITTEN.replace("e5", "g7"), "line 7, turn 3, g7: g7 is taken by a dark stone"),
        (WRITTEN.replace('"1-0"', '"0-1"'), "line 7: the result is 1-0 after the turns, but 0-1 in the tag"),
        (WRITTEN.replace("e5", "\x1b[2J"), 'line 7: a tag is written [Name "value"]'),
        (WRITTEN.replace("e5", "\x1b\x07"), "line 7, turn 3, ��: turns are written in plain letters, digits "),
    ],
)
def test_a_wrong_record_gives_one_line_and_exit_status_2(run: CommandLine, case: tuple[str, str]) -> None:
    typed, error = case
    for options in ([], ["--replay"]):
        err = run.refuses("record", *options, "-", typed=typed)
        assert err.startswith(error)
        assert err.index("\n") == len(err) - 1


@pytest.mark.parametrize("encoding", sample(["ascii", "utf-8"], 2))
def test_a_record_is_utf_8_whatever_the_terminals_encoding(encoding: str) -> None:
    done = in_a_process("record", "-", typed=b"\xef\xbb\xbf" + WRITTEN.encode(), encoding=encoding)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, WRITTEN, b"")


def test_turns_with_a_byte_order_mark_are_replayed() -> None:
    done = in_a_process("replay", "Hedu", typed=b"\xef\xbb\xbfg7\nwhite\n\x1a")
    assert (done.returncode, len(objects(done.stdout)), done.stderr) == (0, 3, b"")


@pytest.mark.parametrize("encoding", sample(["utf-16", "utf-16-le", "utf-16-be"], 1))
def test_files_in_utf_16_are_read(encoding: str, file: Path, run: CommandLine) -> None:
    done = in_a_process("record", "-", typed=WRITTEN.encode(encoding))
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, WRITTEN, b"")
    file.write_bytes("g7\r\nlight\r\n".encode(encoding))
    assert [line["turn"] for line in run.prints_objects("replay", "dalen", file)] == [None, "g7", "light"]
