"""/try, and everything that leads to it: users try turns on a board of their own, with the buttons of a turn."""

from __future__ import annotations

from datetime import timedelta

import pytest
from simcord import MemberActor
from simcord.results import ResponseMessage
from sqlalchemy import select

from bot.domain.study.lines import MOST_TURNS, Line
from bot.services.people.privacy import LINE_RETENTION
from bot.storage.tables import lines, players
from rules import PASS
from tests.support.discord.actions import stored_match
from tests.support.discord.club import Club
from tests.support.discord.turn_presses import ELEMENT, area_key, offered, pick
from tests.support.games import LOSING, PASSING, TWO_LEAVES, WHOLE_GAME
from tests.support.render import Drawings


async def put(club: Club, who: MemberActor, turn: str, card: ResponseMessage) -> int:
    """Add a turn by pressing, and return the number of presses."""
    presses, begun = 0, ""
    for element in ELEMENT.findall(turn):
        begun += element
        line = await club.line(who)
        if line.begun.startswith(begun):
            continue  # there was no other choice
        if element not in offered(club.seen(card)):
            game = await club.app.matches.game(1)
            position = game.match.ruleset.replay((*game.turns[: line.ply], *line.turns))
            await pick(club, who, area_key(position, line.begun, element), card)
            presses += 1
        await pick(club, who, element, card)
        presses += 1
    if (await club.line(who)).begun:
        await club.press(who, f"Try only {turn}", on=card)
        presses += 1
    return presses


async def test_a_placement_is_tried_with_two_presses_and_played_with_one_more(club: Club) -> None:
    """The card survives a restart after every press."""
    await club.match(turns=["e5", "light"])
    cards = club.cards()
    card = await club.press_all(club.bob, "More…", "Try turns")
    assert not [label for label in club.seen(card).labels if "Use" in label]
    await club.restart()
    assert await put(club, club.bob, "e6", card) == 2
    club.seen(card).says("Turn 3 · Bob (Light) played `e6`", "Alice's turn: tap a cell for Dark.")
    await club.restart()
    await club.press(club.bob, "Back", on=card)
    await pick(club, club.bob, 1, card)
    await club.restart()
    await pick(club, club.bob, "f6", card)
    form = await club.press(club.bob, "Type it", on=card)
    await club.restart()
    await club.fill(club.bob, form, turns="a1")
    assert await club.turns() == ("e5", "light")
    assert club.cards() == cards
    await club.restart()
    await club.press(club.bob, "Use f6", on=card)
    assert await club.turns() == ("e5", "light", "f6")
    assert card.id not in club.env.backend.messages[card.channel_id], "the card has served"


async def test_back_takes_the_last_element_of_a_half_chosen_turn_back_first(club: Club) -> None:
    await stored_match(club, ["d4,h8"], game="nadraz", size=6)
    card = await club.open(club.alice, "try", turns="e5,f6 white d4", after=0)
    assert (await club.line(club.alice)).turns == ("e5,f6", "white", "d4")
    for left in (("e5,f6", "white"), ("e5,f6",), ()):
        await club.press(club.alice, "Back", on=card)
        assert (await club.line(club.alice)).turns == left
    form = await club.press(club.alice, "Type it", on=card)
    await club.play_quietly(1, ["white"])  # the line stays where it began
    await club.restart()
    assert (await club.fill(club.alice, form, turns="e5")).nothing
    assert (await club.line(club.alice)).begun == "e5", "what is not complete yet is gone on with"
    assert {"Back", "Type it"} <= set(club.seen(card).labels)
    await club.press(club.alice, "Back", on=card)
    assert (await club.line(club.alice)).begun == ""
    assert "Back" in club.seen(card).labels, "to the parts of the board"
    form = await club.press(club.alice, "Type it", on=card)
    await club.fill(club.alice, form, turns="d4,h8 white e5 e5 c3")
    club.seen(card).says("Turn 3 · Alice (Black) played `e5`", "✗ A run ends on an empty cell, but e5 holds")
    assert (await club.line(club.alice)).turns == ("d4,h8", "white", "e5")


async def test_two_presses_at_once_add_one_turn_and_play_it_once(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    card = await club.open(club.bob, "try")
    await pick(club, club.bob, 1, card)
    screen = club.screen(card)
    answers = await club.press_together((club.bob, "e6", screen), (club.bob, "f6", screen))
    (turn,) = (await club.line(club.bob)).turns
    assert f"played `{turn}`" in club.seen(card).text
    answers += await club.press_together(*[(club.bob, f"Use {turn}", club.screen(card))] * 2)
    assert all(answer.nothing for answer in answers)
    assert await club.turns() == ("e5", "light", turn)


async def test_a_second_card_continues_the_line_and_the_first_one_says_so(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    old = await club.open(club.bob, "try")
    await pick(club, club.bob, 1, old)
    await club.slash(club.bob, "try", turns="a1 b2")
    await pick(club, club.bob, "e6", old)
    club.seen(old).says("You have tried something else since.", "played `b2`")
    assert (await club.line(club.bob)).turns == ("a1", "b2")
    past = (await club.slash(club.bob, "try", turns="dark", after=1)).card
    assert "Use Dark" not in past.labels, "it begins at an earlier turn"
    card = await club.open(club.bob, "try", turns="a1 b2")
    assert "Use a1" in club.seen(card).labels
    await club.move(club.bob, "e6")
    stale = await club.change(club.bob, "Use a1", on=card)
    stale.says("The board has moved on", "played `b2`")
    assert "Use a1" not in stale.labels
    assert await club.turns() == ("e5", "light", "e6")
    later = (await club.slash(club.bob, "try")).private
    assert "b2" not in later
    assert "played `e6`" in later


async def test_only_the_player_whose_turn_it_is_can_play_the_first_turn(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    bobs = await club.slash(club.bob, "try", turns="e6")
    for who, expected in (
        (club.alice, "It is Bob's turn in match #1, not yours."),
        (club.carol, "You are not playing"),
    ):
        answer = await club.slash(who, "try", turns="e6")
        assert "Use e6" not in answer.messages[0].labels
        await club.forge(who, bobs.card.buttons["Use e6"], on=answer.private_handle)
        assert await club.turns() == ("e5", "light")
        assert expected in club.seen(answer.private_handle).text


async def test_a_risky_first_turn_needs_a_confirmation(club: Club) -> None:
    await stored_match(club, LOSING)
    card = await club.open(club.alice, "try", turns="f3")
    assert "🏆 **Bob** (Dark) wins by" in club.seen(card).text
    assert club.seen(card).labels == ("Back", "Use f3", "Replay")
    assert "Do you mean this?" in (await club.change(club.alice, "Use f3", on=card)).text
    assert await club.turns() == LOSING
    await club.press(club.alice, "Play f3", on=card)
    assert await club.turns() == (*LOSING, "f3")


async def test_a_finished_match_is_tried_from_any_turn_and_from_its_replay(club: Club) -> None:
    await stored_match(club, WHOLE_GAME)
    assert "the match is over" in (await club.slash(club.alice, "try", turns="e5", match="1")).private.lower()
    answer = await club.slash(club.alice, "try", turns=" ".join(WHOLE_GAME), match="1", after=0)
    assert "Turn 40 · " in answer.private
    assert "… 28 earlier turns" in answer.private
    card = await club.open(club.carol, "replay", "⏮", "▶", "▶", "▶", "Try from here", match="1")
    assert "Turn 3 · " in club.seen(card).text
    await put(club, club.carol, "b1", card)
    assert "Turn 4 · " in club.seen(card).text
    assert "Turn 3 of 40" in (await club.change(club.carol, "Replay", on=card)).text


async def test_nobody_tries_turns_in_a_match_they_may_not_see(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    elsewhere = club.guild.create_text_channel("elsewhere")
    card = await club.open(club.carol, "try", match="1", where=elsewhere)
    form = await club.press(club.carol, "Type it", on=card)
    club.hide_from(club.carol)
    key = next(iter(offered(club.seen(card)).values()))
    for answer in (
        await club.press(club.carol, key, on=card),
        await club.fill(club.carol, form, turns="e6"),
        await club.slash(club.carol, "try", turns="e6", match="1", where=elsewhere),
    ):
        assert "There is no match" in answer.private
    assert (await club.line(club.carol)).turns == ()


async def test_the_length_of_a_line_is_limited_in_words(club: Club) -> None:
    await stored_match(club, ["e5"])
    answer = await club.slash(club.carol, "try", turns="a1 " * 41, match="1", after=0)
    assert "a line has at most 40 turns" in answer.private
    card = await club.open(club.alice, "try", turns=" ".join(WHOLE_GAME[:39]), match="1", after=0)
    assert "… 27 earlier turns" in club.seen(card).text
    await club.type_in(club.alice, WHOLE_GAME[39], on=card, field="turns")
    assert "🏆 **Alice** (Dark) wins by annihilation." in club.seen(card).text
    assert not offered(club.seen(card))
    full = (await club.slash(club.alice, "try", turns=" ".join(PASSING[:MOST_TURNS]), match="1", after=0)).card
    assert "A line has at most 40 turns." in full.text
    assert full.labels == ("Back", "Replay")


async def test_a_forced_pass_is_one_key(club: Club) -> None:
    await stored_match(club, PASSING)
    card = await club.open(club.carol, "try", match="1")
    assert "Alice's turn (Dark). Dark has no other turn left and must pass." in club.seen(card).text
    await pick(club, club.carol, PASS, card)
    assert (await club.line(club.carol)).turns == (PASS,)
    assert "passed" in club.seen(card).text


# Typing


async def test_the_first_illegal_turn_is_named_with_its_reason_and_rule(club: Club) -> None:
    await stored_match(club, TWO_LEAVES)
    assert "✗ a9 is off the board" in (await club.slash(club.alice, "try", turns="a9 e5 e1")).private
    assert "Bob" in (await club.slash(club.alice, "try", turns="e9 e5", after=3)).private
    answer = await club.slash(club.alice, "try", turns="e5")
    rule = await club.press(club.alice, "Rules", on=answer.private_handle)
    assert "touches **at most one of your leaves**" in rule.private
    choices = await club.offers(club.alice, "e9 e", command="try", option="turns")
    assert all(each["value"].startswith("e9 e") for each in choices)
    assert len(choices) > 3
    choices = await club.offers(club.alice, "e9 e9 ", command="try", option="turns")
    assert [each["name"][:1] for each in choices] == ["✗"]


# Stored lines


@pytest.mark.parametrize("turns", [WHOLE_GAME[-3], " ".join(WHOLE_GAME[-3:])], ids=["going on", "to the end"])
async def test_a_line_is_drawn_again_for_another_user(club: Club, turns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    await stored_match(club, WHOLE_GAME[:-3])
    drawings, counts = Drawings(monkeypatch), []
    for who in (club.alice, club.bob):
        drawings.begin()
        await club.slash(who, "try", turns=turns)
        counts.append(drawings.counted)
    assert counts[0] == counts[1]
    assert min(counts[0]) > 0


async def test_old_lines_are_deleted_with_users_who_only_tried_turns(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    card = await club.open(club.carol, "try", turns="e6", match="1")
    await club.env.advance_time((LINE_RETENTION - timedelta(days=1)).total_seconds())
    await club.slash(club.carol, "try", turns="e6 a1", match="1")
    await club.env.advance_time(timedelta(days=3).total_seconds())
    assert (await club.line(club.carol)).turns == ("e6", "a1")
    await club.env.advance_time((LINE_RETENTION + timedelta(days=1)).total_seconds())
    async with club.app.database.read() as connection:
        assert not (await connection.execute(select(lines))).all()
        assert set(await connection.scalars(select(players.c.id))) == {club.alice.id, club.bob.id}
    assert "I no longer keep what you tried there." in (await club.press(club.carol, "Back", on=card)).private


async def test_a_line_is_shared_once_and_anyone_can_continue_it(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    rest = WHOLE_GAME[2:32]
    card = await club.open(club.alice, "try", "Share", turns=" ".join(rest))
    public = club.card()
    assert "Match #1, shown by Alice" in public.text
    assert public.labels == ("Try from here",)
    assert len(public.pictures) == 1
    assert "Everybody here can see this line now." in club.seen(card).text
    shared, count = club.last_card(), len(club.cards())
    await club.press(club.alice, "Share", on=card)
    assert len(club.cards()) == count
    await club.slash(club.alice, "try", turns="a1")
    await club.restart()
    await club.press(club.carol, "Try from here", on=shared)
    assert await club.line(club.carol) == Line(2, 2, rest), "its button outlives the bot"
    assert await club.turns() == ("e5", "light")
