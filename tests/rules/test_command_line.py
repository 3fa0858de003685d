"""``python -m rules``: the replay interface to the letter, the list of games, records, and games in the terminal."""

from __future__ import annotations

import io
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rules import Phase, Position, Record, Ruleset, Side, ruleset
from rules.__main__ import main
from rules.pages import Example, sections
from tests.support.diagrams import Reading
from tests.support.each import for_each
from tests.support.positions import ANY_GAME, ROOT, RULESETS, ids, random_turns
from tests.support.thorough import covered, sample

Objects = list[dict[str, Any]]

#: Each game on its smallest board.
EVERY_GAME = [Ruleset(game, game.sizes[0], game.variants[0]) for game in ANY_GAME.values()]
#: Everything on the smallest boards.
SMALL = [each for each in RULESETS if each.size == each.game.sizes[0]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command line within the test: exit status, standard output and standard error."""

    def run_main(*arguments: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        try:
            status = main(list(arguments))
        except SystemExit as stopped:
            status = int(str(stopped.code))
        written = capsys.readouterr()
        return status, written.out, written.err

    return run_main


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
def test_it_ends_quietly_when_nobody_reads_what_it_says(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "rules", *arguments],
        input=b"{}\n",
        stdout=writer,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert ended.returncode == 1
    assert b"Error" not in ended.stderr


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


def objects(out: str | bytes) -> Objects:
    """One JSON object a line, and nothing else."""
    text = out.decode("ascii") if isinstance(out, bytes) else out
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


# replay


def test_replay_prints_the_start_and_the_position_after_each_turn(run: Any) -> None:
    status, out, err = run("replay", "dalen", "--size", "5", typed="e5\nlight\nd4\n")
    assert (status, err) == (0, "")
    assert objects(out) == [
        {
            "ply": 0,
            "turn": None,
            "phase": "opening",
            "to_play": None,
            "cells": {},
            "score": {"dark": 0, "light": 0},
            "result": None,
        },
        {
            "ply": 1,
            "turn": "e5",
            "phase": "choice",
            "to_play": None,
            "cells": {"e5": "d"},
            "score": {"dark": 1, "light": 0},
            "result": None,
        },
        {
            "ply": 2,
            "turn": "light",
            "phase": "play",
            "to_play": "light",
            "cells": {"e5": "d"},
            "score": {"dark": 1, "light": 0},
            "result": None,
        },
        {
            "ply": 3,
            "turn": "d4",
            "phase": "play",
            "to_play": "dark",
            "cells": {"d4": "l", "e5": "d"},
            "score": {"dark": 1, "light": 1},
            "result": None,
        },
    ]


def test_replay_lists_the_legal_turns_sorted_as_text_only_when_asked(run: Any) -> None:
    _, out, _ = run("replay", "dalen", "--legal", typed="g7\nlight\nf6\n")
    opening, choice, first, second = objects(out)
    board = ruleset("dalen").board
    names = set(board.names(board.mask))
    assert opening["legal"] == sorted(names)
    assert opening["legal"][:3] == ["a1", "a2", "a3"]
    assert choice["legal"] == ["dark", "light"]
    assert first["legal"] == sorted(names - {"g7"})
    assert second["legal"] == sorted(names - {"g7", "f6"})
    assert second["legal"].index("b1") > second["legal"].index("a7")
    _, plain, _ = run("replay", "dalen", typed="g7\nlight\nf6\n")
    assert objects(plain) == [{key: each[key] for key in each if key != "legal"} for each in objects(out)]


def test_numbers_of_two_digits_are_sorted_as_text_too(run: Any) -> None:
    _, out, _ = run("replay", "dalen", "--legal", typed="")
    legal = objects(out)[0]["legal"]
    assert legal.index("g10") < legal.index("g2")


@for_each("rules_of", SMALL, ids)
def test_replay_of_a_whole_game_tells_what_the_library_tells(run: Any, rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)
    arguments = ["replay", rules_of.game.name, "--size", str(rules_of.size), "--variant", rules_of.variant, "--legal"]
    status, out, err = run(*arguments, typed="\n".join(turns))
    assert (status, err) == (0, "")
    position = rules_of.start()
    printed = objects(out)
    assert len(printed) == len(turns) + 1
    keys = ["ply", "turn", "phase", "to_play", "cells", "score", "result", "legal"]
    if position.held() is not None:
        keys.insert(6, "held")
    for ply, each in enumerate(printed):
        if ply:
            position, _ = position.play(turns[ply - 1])
        without_legal = not position.lists_openings and ply == 0
        assert list(each) == (keys[:-1] if without_legal else keys)
        assert (each["ply"], each["turn"]) == (ply, turns[ply - 1] if ply else None)
        assert each["phase"] == position.phase == ("opening", "choice", each["phase"])[min(ply, 2)]
        assert each["to_play"] == (None if position.to_play is None else position.sides[position.to_play])
        assert each["cells"] == position.pieces()
        for side in Side:
            theirs = {cell for cell, piece in each["cells"].items() if piece[0] == position.sides[side][0]}
            assert theirs == set(position.board.names(position.stones(side)))
        assert each["score"] == position.score()
        assert tuple(each["score"]) in {position.sides, ()}
        assert each.get("held") == position.held()
        assert without_legal or each["legal"] == sorted(position.legal_turns)
    last = printed[-1]
    outcome = position.outcome
    assert outcome is not None
    assert last["result"] == {
        "winner": None if outcome.winner is None else position.sides[outcome.winner],
        "reason": outcome.reason,
    }
    assert outcome.reason in rules_of.game.reasons
    assert (last["phase"], last["to_play"], last["legal"]) == ("over", None, [])
    assert all(each["result"] is None for each in printed[:-1])


def test_prisoners_and_the_half_point_of_the_first_pass_are_shown(run: Any) -> None:
    _, out, _ = run("replay", "fiodar", typed="g7\nwhite\npass\npass\n")
    last = objects(out)[-2:]
    assert [each["score"] for each in last] == [{"black": 126, "white": 0.5}] * 2
    assert [each["held"] for each in last] == [{"black": 0, "white": 0}] * 2
    assert last[1]["result"] == {"winner": "black", "reason": "score"}


def test_the_score_of_nadraz_is_the_lengths_of_the_snakes(run: Any) -> None:
    _, out, _ = run("replay", "nadraz", typed="e6, h9\nblack\nE7 - E8\n")
    last = objects(out)[-1]
    assert last["turn"] == "e7-e8"
    assert last["score"] == {"black": [3], "white": [1]}
    assert last["cells"] == {"e6": "b", "e7": "b", "e8": "b", "h9": "w"}


def test_the_acts_of_dendria_are_read_and_printed(run: Any) -> None:
    turns = "g4,dark,b2,j13,h10,h4,e4,m7,d10,a2,e1,f6,h6,h12,l8,k12,g9,k10".replace(",", "\n")
    status, out, err = run("replay", "dendria", "--size", "7", typed=f"{turns}\nI11 + H10\n")
    assert (status, err) == (0, "")
    before, after = objects(out)[-2:]
    assert after["turn"] == "i11+h10"
    assert before["cells"]["h10"][1] == "S"
    mover = before["to_play"][0]
    assert after["cells"] == {**before["cells"], "h10": f"{mover}D", "i11": f"{mover}S"}


def test_the_default_size_and_variant_are_replayed_unless_others_are_given(run: Any) -> None:
    told = run("replay", "dalen", "--size", "7", "--variant", "standard", "--legal", typed="g7\n")
    assert run("replay", "dalen", "--legal", typed="g7\n") == told


def test_the_variant_decides_what_is_captured(run: Any) -> None:
    typed = "e5\nlight\ne6\ne4\n"
    _, standard, _ = run("replay", "dalen", "--size", "5", typed=typed)
    _, leaves, _ = run("replay", "dalen", "--size", "5", "--variant", "leaves", typed=typed)
    assert objects(standard)[-1]["cells"] == {"e4": "d", "e5": "d", "e6": "l"}
    assert objects(leaves)[-1]["cells"] == {"e4": "d", "e5": "d", "e6": "d"}
    assert objects(leaves)[-1]["result"] == {"winner": "dark", "reason": "annihilation"}


def test_turns_are_printed_in_lower_case_without_spaces(run: Any) -> None:
    _, out, _ = run("replay", "dalen", typed="  G7 \n\tLIGHT\nE5\n")
    assert [each["turn"] for each in objects(out)] == [None, "g7", "light", "e5"]


@pytest.mark.parametrize("typed", ["g7\r\nlight\r\n", "g7\rlight\r", "g7\nlight", "\n\n  \ng7\n\t\nlight\n\n"])
def test_lines_may_end_as_they_like_and_blank_ones_are_skipped(tmp_path: Path, typed: str, run: Any) -> None:
    file = tmp_path / "turns"
    file.write_bytes(typed.encode())
    status, out, err = run("replay", "dalen", str(file))
    assert (status, err) == (0, "")
    assert [(each["ply"], each["turn"]) for each in objects(out)] == [(0, None), (1, "g7"), (2, "light")]


def test_no_turns_give_the_start_alone(run: Any) -> None:
    status, out, err = run("replay", "dalen")
    assert (status, err, len(objects(out))) == (0, "", 1)


@pytest.mark.parametrize(
    ("typed", "printed", "error"),
    [
        ("\ng7\n\nlight\n\n\ng7\nf6\n", 3, "line 7: g7: g7 is taken by a dark stone"),
        (
            "dark\n",
            1,
            "line 1: dark: a side is chosen after the opening; name a cell by its letter and number, such as g7",
        ),
        ("g7\nf6\n", 2, "line 2: f6: the second player chooses a side now: dark or light"),
        ("g7\nlight\npass\n", 3, "line 3: pass: you can pass only when you have no legal placement"),
        ("g7\nlight\na13\n", 3, "line 3: a13: a13 is off the board, which runs from a1 to m13"),
        ("g7\nlight\n  A13 \n", 3, "line 3: A13: a13 is off the board, which runs from a1 to m13"),
        ("g7\nlight\ng7-g7\n", 3, None),
    ],
)
def test_a_refused_turn_stops_the_replay_with_one_line_and_exit_status_2(
    run: Any, typed: str, printed: int, error: str | None
) -> None:
    status, out, err = run("replay", "dalen", typed=typed)
    assert status == 2
    assert len(objects(out)) == printed
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert error is None or err == f"{error}\n"


def test_the_line_of_a_refused_turn_names_the_leaves(run: Any) -> None:
    _, _, err = run("replay", "dalen", "--size", "5", typed="d5\ndark\ni9\ne6\nh9\ne5\n")
    assert err == "line 6: e5: e5 is next to two of your leaves: d5, e6\n"


@for_each("rules_of", EVERY_GAME, ids)
def test_after_the_end_every_turn_is_refused(run: Any, rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)
    for more in ("pass", "hello"):
        arguments = [rules_of.game.name, "--size", str(rules_of.size)]
        status, out, err = run("replay", *arguments, typed="\n".join([*turns, more]))
        assert status == 2
        assert objects(out)[-1]["phase"] == "over"
        assert err == f"line {len(turns) + 1}: {more}: the game is over, so no more turns can be played\n"


NO_TURNS = ["pass", "z9", "b2-b4-b6", "e5+", "*", "+-,", "b3,b3", "🂡", "aa1", "\x1b[2J"]


@for_each("case", covered(EVERY_GAME, NO_TURNS))
def test_in_every_game_what_is_no_turn_is_refused_in_one_line(run: Any, case: tuple[Ruleset, str]) -> None:
    rules_of, typed = case
    begun = random_turns(rules_of)[:3]
    arguments = [rules_of.game.name, "--size", str(rules_of.size)]
    for ply in range(3):
        if (ply, typed) == (0, "pass") or typed != "pass":
            status, out, err = run("replay", *arguments, typed="\n".join([*begun[:ply], "", typed, "a1"]))
            assert (status, len(objects(out))) == (2, ply + 1)
            assert err.startswith(f"line {ply + 2}: ")
            assert err.index("\n") == len(err) - 1
            assert err[:-1].isprintable()


def test_the_turns_may_be_read_from_a_file(tmp_path: Path, run: Any) -> None:
    file = tmp_path / "turns.txt"
    file.write_text("g7\nlight\nf6\n", encoding="utf-8")
    assert run("replay", "dalen", str(file)) == run("replay", "dalen", typed="g7\nlight\nf6\n")


@pytest.mark.parametrize(
    "arguments",
    ["dalen --size 7 --variant leaves --legal FILE", "dalen FILE --legal", "--size 5 dalen FILE", "dalen --legal FILE"],
)
def test_the_options_may_stand_before_or_after_the_file(tmp_path: Path, run: Any, arguments: str) -> None:
    file = tmp_path / "turns.txt"
    file.write_text("e5\nlight\n", encoding="utf-8")
    status, out, err = run("replay", *arguments.replace("FILE", str(file)).split(), typed="nothing here is read")
    assert (status, err) == (0, "")
    assert [each["turn"] for each in objects(out)] == [None, "e5", "light"]
    assert all(("legal" in each) is ("--legal" in arguments) for each in objects(out))


@pytest.mark.parametrize("arguments", ["FILE FILE", "--lines FILE", "FILE --lines"])
def test_more_than_one_file_and_unknown_options_are_refused(tmp_path: Path, run: Any, arguments: str) -> None:
    file = tmp_path / "turns.txt"
    file.write_text("e5\n", encoding="utf-8")
    status, out, err = run("replay", "dalen", *arguments.replace("FILE", str(file)).split())
    assert (status, out) == (2, "")
    assert "unrecognized arguments" in err


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, run: Any, name: str) -> None:
    status, out, err = run("replay", "dalen", str(tmp_path / name))
    assert (status, out) == (2, "")
    assert str(tmp_path / name) in err


@pytest.mark.parametrize("command", ["replay", "play"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], f"there is no game “chess”; the games are {', '.join(ANY_GAME)}"),
        (["fiodar", "--size", "6"], "Fiodar is played on sizes 5, 7, not 6"),
        (["dalen", "--size", "4"], "Dalen is played on sizes 5, 6, 7, 8, 9, not 4"),
        (["dalen", "--size", "0"], "Dalen is played on sizes 5, 6, 7, 8, 9, not 0"),
        (["dalen", "--size", "-7"], "Dalen is played on sizes 5, 6, 7, 8, 9, not -7"),
        (["dalen", "--size", "seven"], "invalid int value: 'seven'"),
        (["dalen", "--size", "9" * 5000], "invalid int value"),
        (["dalen", "--variant", "reverse"], "Dalen has the variants standard, leaves, not “reverse”"),
        ([], "the following arguments are required: game"),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(value)[:24] or "nothing",
)
def test_an_unknown_game_size_or_variant_is_refused(run: Any, command: str, arguments: list[str], message: str) -> None:
    status, out, err = run(command, *arguments)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("arguments", [[], ["rewind"], ["list", "more"]])
def test_an_unknown_command_is_refused(run: Any, arguments: list[str]) -> None:
    assert run(*arguments)[0] == 2


# In a process of its own


@pytest.mark.parametrize(("encoding", "in_a_file"), covered(["ascii", "utf-8:strict"], [False, True]))
def test_bytes_that_are_no_text_are_refused_like_any_other_turn(encoding: str, in_a_file: bool, tmp_path: Path) -> None:
    typed = b"g7\n\xff\xfe\x80\n"
    file = tmp_path / "turns"
    file.write_bytes(typed)
    arguments, given = ([str(file)], b"") if in_a_file else ([], typed)
    done = in_a_process("replay", "dalen", *arguments, typed=given, encoding=encoding)
    assert done.returncode == 2
    assert len(objects(done.stdout)) == 2
    assert done.stderr.startswith(b"line 2: ")
    assert done.stderr.count(b"\n") == 1


def test_bytes_that_are_no_text_do_not_stop_a_game_in_the_terminal() -> None:
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


def test_list_names_every_game_with_its_sizes_and_variants(run: Any) -> None:
    status, out, err = run("list")
    assert (status, err) == (0, "")
    *lines, note = out.splitlines()
    assert lines[0] == "dalen: dark and light; sizes 5, 6, 7*, 8, 9; variants standard, leaves"
    assert [line.partition(":")[0] for line in lines] == list(ANY_GAME)
    assert note == "* the default"


@for_each("rules_of", SMALL, ids)
def test_two_people_can_play_a_whole_game(run: Any, rules_of: Ruleset) -> None:
    game, turns = rules_of.game, random_turns(rules_of)
    end = rules_of.replay(turns)
    assert end.outcome is not None
    arguments = [game.name, "--size", str(rules_of.size), "--variant", rules_of.variant]
    status, out, err = run("play", *arguments, typed="\n".join([*turns, ""]))
    assert (status, err) == (0, "")
    assert out.startswith(f"{game.title} on size {rules_of.size}.")
    won = "A draw" if end.outcome.winner is None else f"{game.sides[end.outcome.winner].title()} wins"
    points = f": {game.sides[0]} " if end.score() else "."
    assert f"{end}\n\n{won} by {game.reasons[end.outcome.reason]}{points}" in out
    assert out.count("Opening: ") == out.count("Choice of side: ") == 1
    assert sum(out.count(f"{side.title()}: ") for side in game.sides) == len(turns) - 2
    position = rules_of.start()
    for turn in turns:
        assert f"\n{position}\n" in out
        position, _ = position.play(turn)


def test_the_end_is_reported_with_the_score(run: Any) -> None:
    _, out, _ = run("play", "fiodar", typed="g7\nwhite\npass\npass\n")
    assert out.endswith("\n\nBlack wins by score: black 126, white 0.5.\n")


# diagram


def on_a_page(printed: str) -> Example:
    """The example that a page with what was printed has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rules.pages.text", lambda page, language="en": f"# Page\n\n{printed}")
        (example,) = (piece for section in sections.__wrapped__("page") for piece in section.content)
    assert isinstance(example, Example)
    return example


@pytest.mark.parametrize(
    ("arguments", "claims"),
    [
        (("--game", "dalen", "--size", "5", "○d4", "●e5", "light"), ["dark: e5", "light: d4", "to play: light"]),
        (("--game", "dalen", "--size", "3", "--variant", "leaves", "C3 dark"), ["turns: c3 dark", "to play: light"]),
        (("--game", "tern", "A1 blue d4"), ["turns: a1 blue d4", "to play: red"]),
        (("--game", "hedu", "2"), ["black: g4 g10", "white: none"]),
    ],
)
def test_a_diagram_is_what_a_page_of_rules_needs(run: Any, arguments: tuple[str, ...], claims: list[str]) -> None:
    status, out, err = run("diagram", *arguments)
    assert (status, err) == (0, "")
    example = on_a_page(out)
    assert [": ".join(claim) for claim in example.claims] == claims
    assert example.ruleset.size == int(dict(itertools.pairwise(arguments)).get("--size", example.ruleset.size))
    Reading(example).read()


@pytest.mark.parametrize("count", [9, None])
def test_a_diagram_shows_the_last_position_of_a_record(run: Any, tmp_path: Path, count: int | None) -> None:
    rules_of = ruleset("nadraz", 6, "reverse")
    turns = random_turns(rules_of)[:count]
    outcome = rules_of.replay(turns).outcome
    result = "*" if outcome is None else Record.result_of(outcome.winner)
    (tmp_path / "game").write_text(str(Record(rules_of, turns, result)), encoding="utf-8")
    status, out, err = run("diagram", str(tmp_path / "game"))
    assert (status, err) == (0, "")
    example = on_a_page(out)
    assert (example.ruleset, example.position()) == (rules_of, rules_of.replay(turns))
    Reading(example).read()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--game", "dalen", "●e5", "○e5", "dark"), "two pieces stand on e5"),
        (("--size", "5", "●e5", "dark"), "--size and --variant need --game"),
        (("missing.txt",), "missing.txt: No such file or directory"),
    ],
)
def test_a_diagram_of_nothing_is_refused_in_words(run: Any, arguments: tuple[str, ...], error: str) -> None:
    status, out, err = run("diagram", *arguments)
    assert (status, out) == (2, "")
    assert error in err


def test_a_refused_turn_is_explained_and_asked_for_again(run: Any) -> None:
    status, out, _ = run("play", "dalen", "--size", "5", typed="z1\ne5\nwhite\nlight\ne5\n\n")
    assert status == 0
    assert "z1: z1 is off the board, which runs from a1 to i9" in out
    assert "white: the second player chooses a side now: dark or light" in out
    assert "e5: e5 is taken by a dark stone" in out
    assert out.count("Opening: ") == out.count("Choice of side: ") == out.count("Light: ") == 2
    assert out.endswith("stopped\n")


def test_a_question_mark_lists_the_legal_turns(run: Any) -> None:
    _, out, _ = run("play", "dalen", "--size", "5", typed="e5\n?\n")
    assert "Choice of side: dark light\n" in out


def test_a_question_mark_does_not_list_all_pairs_of_eggs(run: Any) -> None:
    _, out, _ = run("play", "nadraz", "--size", "14", typed="?\nn14?\nb2,?\nn14,b2\n?\n")
    lines = out.splitlines()
    first = next(line for line in lines if line.startswith("Opening: begin with: b2 c2 "))
    assert len(first.split()) == 3 + 469
    second = next(line for line in lines if line.startswith("Opening: n14,b2 n14,c2 "))
    assert len(second.split()) == 1 + 468
    assert "Opening: b2,?: " in out
    assert "Choice of side: black white\n" in out


def test_a_cell_with_a_question_mark_lists_the_turns_that_begin_there(run: Any) -> None:
    _, out, _ = run("play", "nadraz", typed="e6,h9\nblack\ne7?\nh9?\n? \n\n")
    begun = next(line for line in out.splitlines() if line.startswith("Black: e7 "))
    assert "e7-e8" in begun.split()
    assert all(turn.startswith("e7") for turn in begun.split()[1:])
    assert "Black: h9?: " in out
    assert f"Black: {' '.join(ruleset('nadraz').replay(['e6,h9', 'black']).legal_turns)}\n" in out


def test_the_board_is_not_printed_again_after_an_error_or_a_question(run: Any) -> None:
    _, plain, _ = run("play", "fiodar", "--size", "5", typed="e5\nwhite\nd4\n")
    _, out, _ = run("play", "fiodar", "--size", "5", typed="zz\n?\ne5\ne5\n?\nwhite\ne5\ne6?\nd4\nd4\nz1\n")
    feet = "\n                e\n"
    assert out.count(feet) == plain.count(feet) == 4
    assert "e5: e5 is taken" in out


@for_each("rules_of", SMALL, ids)
def test_it_says_how_cells_are_named(run: Any, rules_of: Ruleset) -> None:
    _, out, _ = run("play", rules_of.game.name, "--size", str(rules_of.size), typed="")
    board = rules_of.start().board
    said = " ".join(out.split())
    assert "the letter at the foot of its column and the number at the left end of its row" in said
    assert f": {board.name(board.centre)} is the centre." in said
    assert "With --level 1 to --level 5, you play the computer." in out


class Person:
    """A terminal at which somebody types a turn at random whenever one is asked for."""

    def __init__(self, start: Position, printed: pytest.CaptureFixture[str]) -> None:
        self.position, self.printed = start, printed
        self.chance, self.turns, self.out = random.Random(start.name), [0, 0], ""

    def read_on(self) -> str:
        """Play the computer's turns that were printed since the last time."""
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


@pytest.mark.parametrize(
    ("rules_of", "second"),
    [(ruleset("dalen", 5), False), (ruleset("fiodar", 5), True), (ruleset("hedu", 5), False)],
    ids=lambda value: ids(value) if isinstance(value, Ruleset) else "second" if value else "first",
)
def test_one_can_play_a_whole_game_against_the_computer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rules_of: Ruleset, second: bool
) -> None:
    person = Person(rules_of.start(), capsys)
    monkeypatch.setattr(sys, "stdin", person)
    opened = ["--second"] if second else []
    assert main(["play", rules_of.game.name, "--size", str(rules_of.size), "--level", "1", *opened]) == 0
    out = person.read_on()
    assert "You play the computer, level 1." in out
    assert person.position.outcome is not None
    assert f"\n{person.position}\n\n" in out
    assert f" by {person.position.reasons[person.position.outcome.reason]}: " in out
    assert ("Opening, the computer: " in out) is ("Choice of side: " in out) is second
    assert min(person.turns) > 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--level", "6"], "argument --level: invalid choice: 6"),
        (["--level", "strong"], "argument --level: invalid int value: 'strong'"),
        (["--second"], "--second lets the computer open, so it needs a --level"),
    ],
)
def test_a_level_that_there_is_not_is_refused(run: Any, options: list[str], message: str) -> None:
    status, out, err = run("play", "dalen", *options)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("typed", ["", "\n", "g7\n", "g7\n  \nlight\n"])
def test_nothing_typed_stops_the_game(run: Any, typed: str) -> None:
    status, out, _ = run("play", "dalen", typed=typed)
    assert status == 0
    assert out.endswith("stopped\n")
    assert "Light: " not in out


# record

WRITTEN = '[Game "dalen"]\n[Size "7"]\n[Variant "standard"]\n[Dark "Bö"]\n[Result "1-0"]\n\n1. g7 2. light 3. e5 1-0\n'


@for_each("rules_of", SMALL, ids)
def test_a_record_is_checked_and_written_canonically(run: Any, tmp_path: Path, rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)
    outcome = rules_of.replay(turns).outcome
    assert outcome is not None
    written = str(Record(rules_of, turns, Record.result_of(outcome.winner), {"Note": 'x "y" \\'}))
    file = tmp_path / "record"
    assert run("record", "-", typed=written) == (0, written, "")
    file.write_text(f"{written}\x1a", encoding="utf-8-sig", newline="\r\n")
    assert run("record", str(file)) == (0, written, "")
    arguments = [rules_of.game.name, "--size", str(rules_of.size), "--variant", rules_of.variant]
    assert run("record", str(file), "--replay") == run("replay", *arguments, typed="\n".join(turns))


def test_a_record_may_end_before_the_game(run: Any) -> None:
    loose = '[Dark "Bö"][Result "1-0"] [Game "dalen"] G7 {c} light E5 ; d'
    left_out = "Comments, variations, signs such as ! and headings are left out.\n"
    assert run("record", "-", typed=loose) == (0, WRITTEN, left_out)
    _, out, _ = run("record", "--replay", "-", typed=loose)
    assert [each["turn"] for each in objects(out)] == [None, "g7", "light", "e5"]


def test_several_records_in_one_file_are_checked_together(run: Any) -> None:
    both = WRITTEN + "\n" + '[Game "hedu"]\n[Size "5"]\n[Variant "standard"]\n[Result "*"]\n\n1. e5 *\n'
    assert run("record", "-", typed=both) == (0, both, "")
    _, out, _ = run("record", "--replay", "-", typed=both)
    assert [each["turn"] for each in objects(out)] == [None, "g7", "light", "e5", None, "e5"]
    assert run("record", "-", typed=both.replace("1. e5 *", "1. z9 *"))[:2] == (2, "")


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("", f"line 1: the tag Game is missing; it names the game: {', '.join(ANY_GAME)}"),
        (WRITTEN.replace("e5", "g7"), "line 7, turn 3, g7: g7 is taken by a dark stone"),
        (WRITTEN.replace('"1-0"', '"0-1"'), "line 7: the result is 1-0 after the turns, but 0-1 in the tag"),
        (WRITTEN.replace("e5", "\x1b[2J"), 'line 7: a tag is written [Name "value"]'),
        (WRITTEN.replace("e5", "\x1b\x07"), "line 7, turn 3, ��: turns are written in plain letters, digits "),
    ],
)
@pytest.mark.parametrize("options", [[], ["--replay"]])
def test_a_wrong_record_gives_one_line_and_exit_status_2(run: Any, typed: str, error: str, options: list[str]) -> None:
    status, out, err = run("record", *options, "-", typed=typed)
    assert (status, out) == (2, "")
    assert err.startswith(error)
    assert err.index("\n") == len(err) - 1


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_a_record_that_cannot_be_opened_gives_one_line(run: Any, tmp_path: Path, name: str) -> None:
    status, out, err = run("record", str(tmp_path / name))
    assert (status, out) == (2, "")
    assert err.startswith(f"{tmp_path / name}: ")
    assert err.index("\n") == len(err) - 1


@pytest.mark.parametrize("encoding", sample(["ascii", "utf-8"], 2))
def test_a_record_is_utf_8_whatever_the_terminal_is(encoding: str) -> None:
    done = in_a_process("record", "-", typed=b"\xef\xbb\xbf" + WRITTEN.encode(), encoding=encoding)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, WRITTEN, b"")


def test_turns_with_a_byte_order_mark_are_replayed() -> None:
    done = in_a_process("replay", "Hedu", typed=b"\xef\xbb\xbfg7\nwhite\n\x1a")
    assert (done.returncode, len(objects(done.stdout)), done.stderr) == (0, 3, b"")


@pytest.mark.parametrize("encoding", sample(["utf-16", "utf-16-le", "utf-16-be"], 1))
def test_files_in_utf_16_are_read(encoding: str, tmp_path: Path, run: Any) -> None:
    done = in_a_process("record", "-", typed=WRITTEN.encode(encoding))
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, WRITTEN, b"")
    file = tmp_path / "turns"
    file.write_bytes("g7\r\nlight\r\n".encode(encoding))
    assert [each["turn"] for each in objects(run("replay", "dalen", str(file))[1])] == [None, "g7", "light"]
