"""The cards of wrong turns in puzzles where the game is almost over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import discord
import pytest

from bot.discord.cards.puzzles import Stage, refuted_card, solution_card, wrong_card
from bot.domain.computer import SearchResult
from bot.domain.puzzles import Answered, PuzzleStanding
from bot.texts import SOURCE, in_language
from rules import ruleset
from rules.puzzles import Puzzle
from tests.support.cards import look, written
from tests.support.games import WHOLE_GAME
from tests.support.puzzling import TWO_TURNS

ANSWERED = Answered(False, PuzzleStanding(), PuzzleStanding())


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with in_language(SOURCE):
        yield


def before_the_end(turns: int) -> Stage:
    """A puzzle so many turns before the end, in which another turn than the one that was played is right."""
    before = ruleset("dalen", 5).replay(WHOLE_GAME[:-turns])
    other = next(turn for turn in before.legal_turns if turn != WHOLE_GAME[-turns])
    return Stage(Puzzle(before.ruleset, WHOLE_GAME[:-turns], (other,), difficulty=1, proven=True))


@pytest.mark.parametrize(("turns", "asks"), [(1, False), (2, True)])
def test_why_not_is_asked_only_of_a_turn_to_which_there_is_a_reply(turns: int, asks: bool) -> None:
    card = wrong_card(before_the_end(turns), WHOLE_GAME[-turns], ANSWERED, look())
    labels = [item.label for item in card.view.walk_children() if hasattr(item, "label")]
    assert ("Why not?" in labels) == asks


@pytest.mark.parametrize(("more", "asks"), [(0, True), (1, False)])
def test_why_not_is_not_asked_of_a_turn_that_no_button_can_hold(more: int, asks: bool) -> None:
    stage, turn = before_the_end(2), WHOLE_GAME[-2]
    wanted = "w" * (100 - len(stage.press("why", turn).custom_id) + more)  # a button's id has 100 characters at most
    card = wrong_card(replace(stage, wanted=wanted), turn, ANSWERED, look())
    labels = [item.label for item in card.view.walk_children() if hasattr(item, "label")]
    assert ("Why not?" in labels) == asks


@pytest.mark.parametrize(("turns", "tells"), [(2, False), (3, True)])
def test_a_reply_that_ends_the_game_leaves_no_chance_to_tell(turns: int, tells: bool) -> None:
    card = refuted_card(before_the_end(turns), WHOLE_GAME[-turns], SearchResult(WHOLE_GAME[1 - turns], 0.9), look())
    assert any("Your chance of winning: 10%." in text for text in written(card)) == tells


def test_each_turn_of_a_solution_has_its_own_picture_below_it() -> None:
    card = solution_card(Stage(TWO_TURNS), ANSWERED, look())
    shown = [type(item) for item in card.view.walk_children()][1:5]
    assert shown == [discord.ui.TextDisplay, discord.ui.MediaGallery] * 2
    assert "`d4`" in written(card)[0]
    assert "`c3`" in written(card)[1]
