"""The arena: matches of paired games, scores and players."""

from __future__ import annotations

import io
import multiprocessing
import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from rules import GAMES, Ruleset, Side, ruleset
from rules.__main__ import main
from rules.search.openings import fair_openings
from rules.search.players import player
from rules.search.workshop.arena import ArenaGame, ArenaScore, elo, games, report, run as run_match
from tests.support.command_line import CommandLine
from tests.support.each import for_each
from tests.support.positions import RULESETS, ids

TINY = Ruleset(GAMES["dalen"], 3, "standard")


def test_the_games_of_a_pair_have_the_same_first_turns_and_swapped_sides() -> None:
    played = list(games(("greedy", "random"), TINY, pairs=3, seed=1, processes=1))
    assert [game.pair for game in played] == [0, 0, 1, 1, 2, 2]
    for one, other in zip(played[::2], played[1::2], strict=True):
        assert one.turns[:4] == other.turns[:4]
    for number, game in enumerate(played):
        position = TINY.replay(game.turns)
        assert position.outcome is not None
        # In the first game of each pair A has the first side.
        assert game.result == (position.outcome.winner is Side(number % 2))
        # After the first four turns, each player has half of the turns, and A and B alternate in starting.
        assert abs(game.counts[0] - game.counts[1]) <= 1
        assert sum(game.counts) == len(game.turns) - 4


def test_the_number_of_processes_changes_only_the_time() -> None:
    alone, together = (
        [(game.turns, game.result) for game in games(("search:2", "random"), TINY, 2, 5, processes)]
        for processes in (1, 2)
    )
    assert alone == together


def test_the_result_is_reported_with_its_interval_and_elo() -> None:
    out, progress = io.StringIO(), io.StringIO()
    run_match(("search:5", "random"), TINY, 4, 1, 1, out, progress)
    assert re.search(r"search:5 against random: [\d.]+ of 8, .*\(95 %: .* to .*\)\nElo: ", out.getvalue())
    assert "8 of 8" in progress.getvalue()


def test_a_player_that_evaluates_the_board_beats_one_that_does_not() -> None:
    rules_of = Ruleset(GAMES["hedu"], 3, "standard")
    assert ArenaScore(list(games(("greedy", "random"), rules_of, 3, 1, 1))).rate > 0.7
    assert ArenaScore(list(games(("random", "greedy"), rules_of, 3, 1, 1))).rate < 0.3


def test_a_report_gives_the_score_its_bounds_elo_and_the_seconds_per_turn() -> None:
    score = ArenaScore([ArenaGame(0, result, ("e5",) * 4, (1.0, 4.0), (1, 2)) for result in (1, 1, 1, 0)])
    assert report(("A", "B"), score).splitlines() == [
        "A against B: 3 of 4, 75.0% (95 %: 30.1% to 95.4%)",
        "Elo: +191 (-147 to +528)",
        "seconds a turn: 1.000 and 2.000; turns a game: 4",
    ]
    assert elo(0.5) == 0
    assert elo(1.0) == -elo(0.0) == float("inf")


@for_each("name", ["", "uct", "uct:0", "uct:-5", "level:6", "level:", "uct:1e9", "search:10000000"])
def test_unknown_players_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="there is no player"):
        player(name)


def test_the_command_plays_a_match_and_refuses_unknown_arguments(run: CommandLine) -> None:
    match = ["arena", "random", "greedy", "--game", "dalen", "--size", "5", "--pairs", "1", "--processes", "1"]
    assert "random against greedy" in run(*match)[1]
    assert "there is no player “nobody”" in run.refuses("arena", "random", "nobody", "--game", "dalen")
    run.refuses(*match, "--pairs", "0")
    assert run(*match, "--size", "3")[0] == 0
    assert "Dalen is played on sizes 3, 4, 5, 6, 7, 8, 9, not 2" in run.refuses(*match, "--size", "2")


def test_the_command_reports_a_killed_process_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    match = ["arena", "uct:100000", "uct:100000", "--game", "hedu", "--pairs", "1", "--processes", "2"]
    with ThreadPoolExecutor(1) as thread:
        status = thread.submit(main, match)
        # Until both exist, a check for ended processes could interfere with starting the other.
        while len(playing := multiprocessing.active_children()) < 2 and not status.done():
            os.sched_yield()
        for process in playing:
            process.kill()
    assert status.result() == 1
    assert "one of its processes was killed" in capsys.readouterr().err


@for_each("rules_of", [ruleset for ruleset in RULESETS if ruleset.game.name in GAMES], ids)
def test_every_ruleset_has_fair_openings(rules_of: Ruleset) -> None:
    known = fair_openings(rules_of)
    assert known
    for turn, value in known:
        assert ruleset(rules_of.game.name, rules_of.size, rules_of.variant).start().parse(turn) == turn
        assert 0.4 <= value <= 0.6
