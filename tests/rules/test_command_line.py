"""``python -m rules``: the replay interface to the letter, the list of games, and a game in the terminal."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rules import Ruleset, ruleset
from rules.__main__ import main
from tests.rules.sample import ROOT, RULESETS, ids, random_turns

Objects = list[dict[str, Any]]


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


@pytest.mark.parametrize("rules_of", [each for each in RULESETS if each.size in (5, 6)], ids=ids)
def test_replay_of_a_whole_game_tells_what_the_library_tells(run: Any, rules_of: Ruleset) -> None:
    turns = random_turns(rules_of)
    arguments = ["replay", rules_of.game.name, "--size", str(rules_of.size), "--variant", rules_of.variant, "--legal"]
    status, out, err = run(*arguments, typed="\n".join(turns))
    assert (status, err) == (0, "")
    position = rules_of.start()
    printed = objects(out)
    assert len(printed) == len(turns) + 1
    for ply, each in enumerate(printed):
        if ply:
            position, _ = position.play(turns[ply - 1])
        assert set(each) == {"ply", "turn", "phase", "to_play", "cells", "score", "result", "legal"}
        assert (each["ply"], each["turn"]) == (ply, turns[ply - 1] if ply else None)
        assert each["phase"] == position.phase
        assert each["to_play"] == (None if position.to_play is None else position.sides[position.to_play])
        assert each["cells"] == position.pieces()
        assert each["score"] == position.score()
        assert each["legal"] == sorted(position.legal_turns)
    last = printed[-1]
    assert position.outcome is not None
    assert position.outcome.winner is not None
    assert last["result"] == {"winner": position.sides[position.outcome.winner], "reason": "annihilation"}
    assert (last["phase"], last["to_play"], last["legal"]) == ("over", None, [])
    assert all(each["result"] is None for each in printed[:-1])


def test_the_game_of_the_default_size_and_variant_is_replayed_unless_told(run: Any) -> None:
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


def test_after_the_end_every_turn_is_refused(run: Any) -> None:
    rules_of = ruleset("dalen", 5)
    turns = random_turns(rules_of)
    for more in ("a1", "pass", "dark", "hello"):
        status, out, err = run("replay", "dalen", "--size", "5", typed="\n".join([*turns, more]))
        assert status == 2
        assert objects(out)[-1]["phase"] == "over"
        assert err == f"line {len(turns) + 1}: {more}: the game is over, so no more turns can be played\n"


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
        (["chess"], "there is no game “chess”; there is dalen"),
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


def test_the_module_can_be_run() -> None:
    done = in_a_process("replay", "dalen", "--size", "5", typed=b"e5\nlight\n\ne5\n")
    assert done.returncode == 2
    assert [each["turn"] for each in objects(done.stdout)] == [None, "e5", "light"]
    assert done.stderr.decode().splitlines() == ["line 4: e5: e5 is taken by a dark stone"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "utf-8:strict"])
def test_bytes_that_are_no_text_are_refused_like_any_other_turn(encoding: str, tmp_path: Path) -> None:
    typed = b"g7\n\xff\xfe\x80\n"
    file = tmp_path / "turns"
    file.write_bytes(typed)
    for arguments, given in (([], typed), ([str(file)], b"")):
        done = in_a_process("replay", "dalen", *arguments, typed=given, encoding=encoding)
        assert done.returncode == 2
        assert len(objects(done.stdout)) == 2
        assert done.stderr.startswith(b"line 2: ")
        assert done.stderr.count(b"\n") == 1


def test_bytes_that_are_no_text_do_not_stop_a_game_in_the_terminal() -> None:
    done = in_a_process("play", "dalen", typed=b"\xff\xfe\ng7\n\n", encoding="utf-8:strict")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count("●".encode()) == 1


# list and play


def test_list_names_every_game_with_its_sizes_and_variants(run: Any) -> None:
    status, out, err = run("list")
    assert (status, err) == (0, "")
    assert out == "dalen: dark and light; sizes 5, 6, 7*, 8, 9; variants standard, leaves\n* the default\n"


def test_two_people_can_play_a_whole_game(run: Any) -> None:
    rules_of = ruleset("dalen", 5, "leaves")
    turns = random_turns(rules_of)
    outcome = rules_of.replay(turns).outcome
    assert outcome is not None
    assert outcome.winner is not None
    status, out, err = run("play", "dalen", "--size", "5", "--variant", "leaves", typed="\n".join([*turns, ""]))
    assert (status, err) == (0, "")
    assert out.startswith("Dalen on size 5.")
    assert out.endswith(
        f"{rules_of.replay(turns)}\n\n{rules_of.game.sides[outcome.winner].title()} wins by annihilation.\n"
    )
    assert out.count("Opening: ") == out.count("Choice of side: ") == 1
    assert out.count("Dark: ") + out.count("Light: ") == len(turns) - 2
    for ply in range(len(turns)):
        assert f"\n{rules_of.replay(turns[:ply])}\n" in out


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


@pytest.mark.parametrize("typed", ["", "\n", "g7\n", "g7\n  \nlight\n"])
def test_nothing_typed_stops_the_game(run: Any, typed: str) -> None:
    status, out, _ = run("play", "dalen", typed=typed)
    assert status == 0
    assert out.endswith("stopped\n")
    assert "Light: " not in out
