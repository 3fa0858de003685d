"""How matches end: by the rules or by resignation, which asks first."""

from __future__ import annotations

import pytest

import rules
from bot.domain.matches import Ending, Match
from tests.support.club import Club
from tests.support.games import WHOLE_GAME


async def almost_over(club: Club) -> Match:
    return await club.match(turns=WHOLE_GAME[:-1])


async def test_the_end_is_announced_with_the_final_board_the_result_and_the_reason(club: Club) -> None:
    match = await almost_over(club)
    position = rules.ruleset("dalen", 5).replay(WHOLE_GAME)
    assert position.outcome is not None
    before = await club.app.matches.game(match.id)
    assert before.to_act is not None
    await club.move(club.member(before.to_act.id), WHOLE_GAME[-1])
    game = await club.app.matches.game(match.id)
    assert game.position == position
    assert position.outcome.winner is not None
    winner = game.player_of(position.outcome.winner)
    side = game.match.ruleset.game.sides[position.outcome.winner].title()
    card = club.card()
    assert f"🏆 **{winner.name}** ({side}) wins by annihilation." in card.text
    assert f"played **{WHOLE_GAME[-1]}**" in card.text
    assert card.labels == ("Rematch",)
    assert card.pinged == (before.match.opponent_of(before.to_act.id).id,)
    assert card.files[0]["filename"] == f"dalen-1-{len(WHOLE_GAME)}.png"
    assert len(card.pictures) == len(card.descriptions) == 1
    assert game.match.result is not None
    assert (game.match.result.winner_id, game.match.result.ending) == (winner.id, Ending.RULES)


async def test_nothing_can_be_played_after_the_end(club: Club) -> None:
    await almost_over(club)
    game = await club.app.matches.game(1)
    assert game.to_act is not None
    await club.move(club.member(game.to_act.id), WHOLE_GAME[-1])
    for who in (club.alice, club.bob):
        answer = await club.slash(who, "move", turn="a1", match="1")
        assert answer.private == "Match #1 is over. /challenge starts a new one."
        assert "is over" in (await club.slash(who, "resign", match="1")).private
        assert [choice["name"] for choice in await club.offers(who, "a", match="1")] == ["✗ match #1: it is over"]
        assert "no running match" in (await club.slash(who, "move", turn="a1")).private
    assert len(await club.turns()) == len(WHOLE_GAME)


@pytest.mark.parametrize("by", ["button", "command"])
async def test_resigning_asks_first_and_then_ends_the_match(club: Club, by: str) -> None:
    await club.match(turns=["e5", "light"])
    if by == "button":
        question = await club.press_old(club.alice, "resign")
    else:
        question = await club.slash(club.alice, "resign")
    assert question.private.startswith("Resign match #1? **Bob** wins.")
    assert question.messages[0].labels == ("Yes, resign", "Offer a draw", "Propose to abandon", "Keep playing")
    assert (await club.app.matches.match(1)).result is None
    assert (await club.press(club.alice, "Yes, resign", on=question.private_handle)).nothing
    assert question.nothing
    card = club.card()
    assert "🏆 **Bob** (Light) wins: Alice resigned." in card.text
    assert "Bob chose **Light**" in card.text
    assert card.labels == ("Rematch",)
    assert card.pinged == (club.bob.id,)
    assert len(card.pictures) == 1
    assert club.boards()[-2].labels == ()


async def test_a_player_who_thinks_better_of_it_plays_on(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    question = await club.press_old(club.bob, "resign")
    assert (await club.press(club.bob, "Keep playing", on=question.private_handle)).nothing
    assert question.nothing
    assert (await club.app.matches.match(1)).result is None


async def test_either_player_may_resign_at_any_time_and_nobody_else(club: Club) -> None:
    await club.match()
    assert "You are not playing in match #1" in (await club.press_old(club.carol, "resign")).private
    question = await club.press_old(club.bob, "resign")
    await club.press(club.bob, "Yes, resign", on=question.private_handle)
    assert "🏆 **Alice** wins: Bob resigned." in club.card().text


async def test_a_turn_played_meanwhile_undoes_the_question_whether_to_resign(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    question = await club.press_old(club.alice, "resign")
    await club.move(club.bob, "d4")
    await club.press(club.alice, "Yes, resign", on=question.private_handle)
    assert question.private == "The board has moved on since you asked, so you did not resign."
    assert (await club.app.matches.match(1)).result is None


async def test_two_confirmations_end_a_match_once(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    first = await club.slash(club.alice, "resign")
    second = await club.slash(club.alice, "resign")
    assert (await club.press(club.alice, "Yes, resign", on=first.private_handle)).nothing
    boards = len(club.boards())
    assert "is over" in (await club.press(club.alice, "Yes, resign", on=second.private_handle)).private
    assert len(club.boards()) == boards


async def test_both_resigning_at_once_gives_one_winner(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    questions = [await club.press_old(who, "resign") for who in (club.alice, club.bob)]
    screens = [club.screen(question.private_handle.message) for question in questions]
    await club.press_together((club.alice, "Yes, resign", screens[0]), (club.bob, "Yes, resign", screens[1]))
    assert len([card for card in club.boards() if "🏆" in card.text]) == 1
    result = (await club.app.matches.match(1)).result
    assert result is not None
    assert result.winner_id in (club.alice.id, club.bob.id)


async def test_a_new_match_starts_in_the_channel_after_the_end(club: Club) -> None:
    await club.match()
    question = await club.press_old(club.bob, "resign")
    await club.press(club.bob, "Yes, resign", on=question.private_handle)
    match = await club.match(club.bob, club.alice)
    assert match.id == 2
    assert (await club.delivery(match.id)).channel_id == club.channel.id
    await club.move(club.bob, "e5")
    assert await club.turns(2) == ("e5",)


# Matches that never found a place


@pytest.mark.parametrize("end", ["resign", "abandon", "moderator"])
async def test_the_end_of_a_waiting_match_is_shown_on_its_challenge(club: Club, end: str) -> None:
    club.forbid("create_public_threads")
    await club.match()
    await club.challenge(club.alice, club.carol)
    await club.press(club.carol, "Accept")
    assert "Match #2 **waits**" in club.card().text
    boards = len(club.boards())
    who = club.join_as_moderator("Mo") if end == "moderator" else club.alice
    question = await club.slash(who, "resign", match="2")
    label = {"resign": "Yes, resign", "abandon": "Propose to abandon", "moderator": "End this match"}[end]
    assert "Offer a draw" not in question.messages[0].labels
    assert (await club.press(who, label, on=question.private_handle)).nothing
    if end == "abandon":
        assert (await club.press(club.carol, "Accept")).nothing
    told = {
        "resign": "**Carol** wins: Alice resigned.",
        "abandon": "Both players agreed to abandon this match.",
        "moderator": "Mo ended this match as a moderator.",
    }[end]
    card = next(card for card in club.cards() if "Alice challenges Carol" in card.text)
    assert f"✅ Carol accepted. Match #2 ended before it found a place. {told}" in card.text
    assert len(club.boards()) == boards
    await club.restart()
    assert len(club.boards()) == boards


async def test_the_end_of_a_waiting_rematch_is_shown_where_it_was_agreed(club: Club) -> None:
    club.forbid("create_public_threads")
    await club.match()
    question = await club.press_old(club.bob, "resign")
    await club.press(club.bob, "Yes, resign", on=question.private_handle)
    final = club.screen()
    await club.match(club.alice, club.carol)
    await club.press_late(club.alice, "Rematch", final)
    await club.press(club.bob, "Accept")
    question = await club.slash(club.bob, "resign", match="3")
    await club.press(club.bob, "Yes, resign", on=question.private_handle)
    card = next(card for card in club.cards() if "would like a rematch" in card.text)
    assert "Match #3 ended before it found a place. **Alice** wins: Bob resigned." in card.text


@pytest.mark.parametrize("turns", [(), ("e5",), ("e5", "light"), ("e5", "light", "d4")])
async def test_resigning_tells_the_end_at_any_time(club: Club, turns: tuple[str, ...]) -> None:
    await club.match(turns=turns)
    question = await club.press_old(club.alice, "resign")
    await club.press(club.alice, "Yes, resign", on=question.private_handle)
    card = club.card()
    assert "wins: Alice resigned." in card.text
    assert card.labels == ("Rematch",)
    assert f"<@{club.bob.id}>, a rematch?" in card.text
