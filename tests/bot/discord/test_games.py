"""A whole game through the commands, with a restart in the middle."""

from __future__ import annotations

import random

import rules
from rules import PASS
from tests.support.club import FINAL_BUTTONS, Club
from tests.support.thorough import THOROUGH


async def test_a_random_game_of_another_variant_is_played_to_its_end(club: Club) -> None:
    chance, ruleset = random.Random(4), rules.ruleset("dalen", 5, "leaves")
    position, turns = ruleset.start(), list[str]()
    while position.legal_turns:
        turns.append(chance.choice(position.legal_turns))
        position, _ = position.play(turns[-1])
    begun = 0 if THOROUGH else len(turns) - 8
    match = await club.match(variant="leaves", turns=turns[:begun])
    for ply, turn in enumerate(turns[begun:], begun + 1):
        game = await club.app.matches.game(match.id)
        assert game.to_act is not None
        who = club.member(game.to_act.id)
        assert club.card().pinged == (who.id,)
        if turn in ("dark", "light") and chance.random() < 0.5:
            assert (await club.press(who, f"Play {turn.title()}")).nothing
        elif turn == PASS:
            assert (await club.slash(who, "pass")).nothing
        else:
            await club.move(who, turn)
        if ply == len(turns) - 4:
            await club.restart()
        assert club.card().files[0]["filename"] == f"dalen-{match.id}-{ply}.png"
    assert await club.turns(match.id) == tuple(turns)
    game = await club.app.matches.game(match.id)
    assert game.position == ruleset.replay(turns) == position
    assert position.outcome is not None
    assert position.outcome.winner is not None
    assert game.match.result is not None
    winner = game.player_of(position.outcome.winner)
    assert game.match.result.winner_id == winner.id
    assert f"🏆 **{winner.name}**" in club.card().text
    assert "wins by annihilation" in club.card().text
    assert len(club.boards()) == len(turns) - begun + 1
    *past, last = club.boards()
    assert all(not card.labels and len(card.pictures) == 1 for card in past)
    assert last.labels == FINAL_BUTTONS
    assert len(last.pinged) == 1
    best, other = game.match.rating_changes
    if best.player_id != winner.id:
        best, other = other, best
    assert best.after.value > best.before.value > other.after.value
