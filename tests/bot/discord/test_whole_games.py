"""Every game from the challenge to its end by the rules, and its entry in the history."""

from __future__ import annotations

import random
from itertools import cycle, product

import pytest

import rules
from bot.domain.matches import Ending
from bot.domain.preferences import BoardCards
from rules import PASS, Outcome, Ruleset
from tests.support.discord.club import FINAL_BUTTONS, Club
from tests.support.discord.turn_presses import GAMES, any_turn, play_some_way
from tests.support.thorough import THOROUGH

#: Turns at the beginning and at the end that are played in all three ways. Those between are typed, or only stored if
#: the tests are not thorough.
_FIRST, _LAST = 3, 3
#: After so many turns, players pass when they may. Otherwise random games of Dendria take hundreds of turns.
_TIRED = 20
#: Seeds of short games, where random games differ in length.
_SEEDS = {"dalen": 228, "hedu": 43, "nadraz": 17}
#: Every game on one of the databases, and with a living card or a card for every turn.
_TABLES = [
    (*game, backend, cards)
    for game, (backend, cards) in zip(GAMES, cycle(product(("sqlite", "postgresql"), BoardCards)), strict=False)
]


def random_game(ruleset: Ruleset) -> tuple[list[str], Outcome]:
    chance, position, turns = random.Random(_SEEDS.get(ruleset.game.name, 2)), ruleset.start(), list[str]()
    while position.outcome is None:
        tired = len(turns) >= _TIRED and PASS in position.draft().next
        turns.append(PASS if tired else any_turn(position, chance))
        position, _ = position.play(turns[-1])
    return turns, position.outcome


@pytest.mark.parametrize(("name", "size", "backend", "board_cards"), _TABLES)
async def test_every_game_is_played_to_its_end(club: Club, name: str, size: int) -> None:
    turns, outcome = random_game(rules.ruleset(name, size))
    await club.match(game=name, size=size)
    first, between, last = turns[:_FIRST], turns[_FIRST:-_LAST], turns[-_LAST:]
    for way, turn in enumerate(first):
        await play_some_way(club, turn, way)
    if THOROUGH:
        for turn in between:
            await play_some_way(club, turn, 0)
    else:
        await club.play_quietly(1, between)
        await club.show(1)
    for way, turn in enumerate(last):
        await play_some_way(club, turn, way)
    game = await club.app.matches.game(1)
    assert game.turns == tuple(turns)
    assert game.match.result is not None
    assert game.match.result.ending is Ending.RULES
    assert outcome.winner is not None
    assert f"🏆 **{game.player_of(outcome.winner).name}** (" in club.card().text
    assert club.card().text.count("🏆") == 1
    reason = game.position.reasons[outcome.reason]
    assert f"wins {reason}." in club.card().text
    assert club.card().labels == FINAL_BUTTONS
    assert f"#1 · {reason} · {len(turns)} turns" in (await club.slash(club.alice, "history")).private
