"""Turns that are composed on a private card, and turns that the bot asks about."""

from __future__ import annotations

import pytest
from simcord import MemberActor

from bot.domain.matches import Ending, ProposalKind, Result
from bot.domain.players import Player
from bot.domain.preferences import TURNS_BEFORE_OFFER, Confirmation
from rules import PASS
from tests.support.discord.club import Answer, Club
from tests.support.discord.turn_presses import area_key, build, offered, pick, play_by_pressing
from tests.support.games import LOSING, PASSING


async def wish(club: Club, who: MemberActor, confirmation: Confirmation) -> None:
    await club.app.settings.change_preferences(Player(who.id, "?"), confirmation=confirmation)


async def test_the_columns_of_a_small_board_open_its_keypad(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    card = (await club.press(club.bob, "d–f")).private_handle
    keys = offered(club.seen(card))
    assert len(keys) == 24
    assert {str(key)[0] for key in keys} == set("def")
    assert tuple(offered(await club.change(club.bob, "Back", on=card)).values()) == ("a–c", "d–f", "g–i")


async def test_a_losing_turn_is_shown_before_it_is_played_and_can_be_taken_back(club: Club) -> None:
    await club.match(turns=[*LOSING])
    position = (await club.app.matches.game(1)).position
    card, _ = await build(club, club.alice, position, "f3")
    assert club.seen(card).text.startswith("### Play `f3`?\nIt loses 4 of yours.")
    assert "⚠️ It loses the match." in club.seen(card).text
    assert "f3" in offered(await club.change(club.alice, "Back", on=card))
    assert 0 in offered(await club.change(club.alice, "Back", on=card))
    await club.press(club.alice, "Cancel", on=card)
    assert await club.turns() == LOSING
    assert club.screen(club.last_message()).buttons.keys() >= {"Play", "a–c", "d–f", "g–i", "Type it", "More…"}
    await wish(club, club.alice, Confirmation.AT_ONCE)
    card, _ = await build(club, club.alice, position, "f3")
    assert club.seen(card).text.startswith("### Play `f3`?"), "it is risky"
    assert await club.turns() == LOSING


async def test_private_cards_and_forms_continue_after_a_restart(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    card = (await club.press(club.bob, "Play")).private_handle
    await club.restart()
    await pick(club, club.bob, 1, card)
    await club.restart()
    await pick(club, club.bob, "e6", card)
    await club.restart()
    assert "### Play `e6`?" in (await club.press(club.bob, "Play")).private
    await club.press(club.bob, "Play e6", on=card)
    assert await club.turns() == ("e5", "light", "e6")
    form = await club.press(club.alice, "Type it")
    await club.restart()
    assert (await club.fill(club.alice, form, turn="a1")).nothing
    assert await club.turns() == ("e5", "light", "e6", "a1")


async def test_presses_and_typed_turns_are_refused_with_the_reason(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    for who, said in (
        (club.alice, "It is Bob's turn"),
        (club.carol, "You are not playing in match #1"),
    ):
        for label in ("Play", "Type it"):
            assert said in (await club.press(who, label)).private
        assert said in (await club.slash(who, "move", turn="d4", match="1")).private
    answer = await club.type_in(club.bob, "*e5* @everyone")
    assert "is not a turn" in answer.private
    assert "cannot be played" not in answer.private
    answer = await club.type_in(club.bob, "e5")
    assert "✗ e5 is taken by a dark stone." in answer.private
    card = answer.private_handle
    await club.type_in(club.bob, "z99", on=card)
    assert "✗ z99 is off the board" in club.seen(card).text
    await club.type_in(club.bob, "e6", on=card)
    assert await club.turns() == ("e5", "light", "e6")


async def test_an_outdated_card_offers_nothing(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    screen = club.screen()
    card = (await club.press(club.bob, "Play")).private_handle
    form = await club.press(club.bob, "Type it")
    await club.move(club.bob, "d4")
    for label in ("Play", "Type it"):
        assert "The board has moved on" in (await club.press_late(club.bob, label, screen)).private
    assert "The board has moved on" in (await club.fill(club.bob, form, turn="e6")).private
    await pick(club, club.bob, 1, card)
    assert "The board has moved on" in club.seen(card).text
    assert not club.seen(card).buttons
    assert not club.seen(card).menus
    assert await club.turns() == ("e5", "light", "d4")


async def test_a_second_card_plays_only_the_turn_it_shows(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    one, _ = await build(club, club.bob, (await club.app.matches.game(1)).position, "e6")
    other = (await club.press(club.bob, "Play")).private_handle
    await club.press(club.bob, "Back", on=other)
    await pick(club, club.bob, "f6", other)
    assert "You have continued elsewhere" in (await club.change(club.bob, "Play e6", on=one)).text
    assert "Play `f6`?" in club.seen(one).text
    assert await club.turns() == ("e5", "light")
    answers = await club.press_together(*[(club.bob, "Play f6", club.screen(one))] * 2)
    assert all(answer.nothing for answer in answers)
    assert await club.turns() == ("e5", "light", "f6")


@pytest.mark.parametrize(
    ("turns", "turn", "asked"),
    [
        (("e5", "light"), "e6", Confirmation.ALWAYS),
        (PASSING, PASS, Confirmation.ALWAYS),
        (LOSING, "f3", Confirmation.RISKY),
    ],
)
async def test_a_typed_turn_is_confirmed_as_the_player_prefers(
    club: Club, turns: tuple[str, ...], turn: str, asked: Confirmation
) -> None:
    """Which turns are risky, and who is asked about them, is decided in the domain."""
    match = await club.match(turns=turns)
    who = await club.to_act(match.id)
    await wish(club, who, asked)
    question = await club.slash(who, "move", turn=turn)
    assert "Do you mean this?" in question.private
    assert await club.turns(match.id) == turns
    await club.restart()
    await club.press(who, question.card.labels[0], on=question.private_handle)
    assert await club.turns(match.id) == (*turns, turn)


async def test_a_typed_last_cell_stands_for_a_run_after_a_question(club: Club) -> None:
    turns = ("e6,h8", "white")
    match = await club.match(turns=turns, game="nadraz", size=6)
    who = await club.to_act(match.id)
    question = await club.slash(who, "move", turn="G5")
    assert "Do you mean this?" in question.private
    assert await club.turns(match.id) == turns
    await club.press(who, "Play e5-g5", on=question.private_handle)
    assert await club.turns(match.id) == (*turns, "e5-g5")


async def take_back(club: Club, who: MemberActor) -> None:
    """Take back a player's last turn, and show the board."""
    match = await club.newest_match()
    wanted = await club.app.proposals.propose(match.id, who.id, ProposalKind.TAKE_BACK, shown_by_caller=True)
    await club.app.proposals.accept(wanted.id, match.opponent_of(who.id).id, shown_by_caller=True)
    await club.show(match.id)
    await club.env.settle()


async def test_an_unnecessary_pass_needs_a_confirmation(club: Club) -> None:
    await club.match(game="fiodar", turns=["e5", "black"])
    who = await club.to_act(1)
    answer: Answer = await club.press(who, "Pass")
    assert "### Pass?" in answer.private
    await club.press(who, "Pass", on=answer.private_handle)
    assert (await club.turns())[-1] == PASS
    last = await club.to_act()
    assert (await club.press(last, "Pass")).nothing
    assert (await club.app.matches.match(1)).result == Result(last.id, Ending.RULES)
    assert await club.turns() == ("e5", "black", PASS, PASS)


async def test_playing_at_once_saves_a_press(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    position = (await club.app.matches.game(1)).position
    for confirmation, presses in ((Confirmation.AT_ONCE, 2), (Confirmation.RISKY, 3)):
        await wish(club, club.bob, confirmation)
        assert await play_by_pressing(club, club.bob, position, "e6") == presses, confirmation
        assert await club.turns() == ("e5", "light", "e6")
        await take_back(club, club.bob)


async def test_after_three_turns_by_buttons_playing_at_once_is_offered_once(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    position = (await club.app.matches.game(1)).position
    offers = []
    for number in range(4):
        card, _presses = await build(club, club.bob, position, "e6")
        answer = await club.press(club.bob, "Play e6", on=card)
        offers += [handle for handle in answer.handles if "Play at once?" in club.seen(handle).text]
        assert len(offers) == (number >= 2)
        if number < 3:
            await take_back(club, club.bob)
        if number == 1:
            await club.restart()
    assert (await club.press(club.bob, "Play at once", on=offers[0])).nothing
    assert (await club.app.settings.preferences(club.bob.id)).confirmation is Confirmation.AT_ONCE
    # Players who have chosen a confirmation are offered no other.
    await wish(club, club.alice, Confirmation.ALWAYS)
    async with club.app.storage.transaction() as tx:
        await tx.settings.change_preferences(club.alice.id, {"turns_by_buttons": TURNS_BEFORE_OFFER - 1})
    card, _presses = await build(club, club.alice, (await club.app.matches.game(1)).position, "a1")
    assert (await club.press(club.alice, "Play a1", on=card)).nothing


async def test_an_incomplete_turn_can_be_continued_by_typing_or_pressing(club: Club) -> None:
    await club.match(game="nadraz", size=6)
    assert all("goes on" in each["name"] for each in await club.offers(club.alice, "e"))
    values = [each["value"] for each in await club.offers(club.alice, "e5,f")]
    assert values
    assert all(value.startswith("e5,f") for value in values)
    answer = await club.slash(club.alice, "move", turn="e5")
    assert "Where do you lay the **White** egg?" in answer.private
    game = await club.app.matches.game(1)
    await pick(club, club.alice, area_key(game.position, "e5", ",f6"), answer.private_handle)
    await pick(club, club.alice, ",f6", answer.private_handle)
    await club.press(club.alice, "Play e5,f6", on=answer.private_handle)
    assert await club.turns() == ("e5,f6",)


@pytest.mark.parametrize(
    ("game", "opening", "sides"), [("dalen", "e5", ("Dark", "Light")), ("nadraz", "d4,h8", ("Black", "Black"))]
)
async def test_the_choice_of_side_says_who_plays_next(
    club: Club, game: str, opening: str, sides: tuple[str, str]
) -> None:
    await club.match(game=game, size=6, turns=[opening])
    club.card().says(f"choose your side, **{sides[0]}** or", f"{sides[1]} plays next.")
