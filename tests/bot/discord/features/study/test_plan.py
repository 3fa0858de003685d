"""Plans: made where turns are tried, played at once with one card and one ping, and secret."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import pytest
from prometheus_client import generate_latest
from simcord import MemberActor
from simcord.results import ResponseMessage

from bot.domain.plans import Plan
from bot.domain.preferences import BoardCards
from bot.domain.study.lines import MOST_TURNS
from tests.support.discord.actions import computer_match, stored_match
from tests.support.discord.club import Club
from tests.support.thorough import sample

#: A turn that appears only in a plan.
MARKER = "zz99zz"
EVERY_CARD = pytest.mark.parametrize("board_cards", BoardCards)


async def plan(club: Club, who: MemberActor, turns: str) -> ResponseMessage:
    """Plan a typed line, and return the plan's card."""
    card: ResponseMessage = await club.open(who, "try", "Plan this", turns=turns)
    return card


async def plan_of(club: Club, who: MemberActor) -> str:
    """The text of a player's plan, opened from the menu of the board."""
    return club.seen(await club.press_all(who, "More…", "Even more…", "Plan")).text


@EVERY_CARD
async def test_a_planned_answer_is_played_with_one_card_and_one_ping(club: Club, board_cards: BoardCards) -> None:
    await club.match(turns=["e5", "light"])
    assert (
        "- Planned: if Bob plays `d4`, you play `a1`; if Bob plays `c3`, you play `b2`."
        in club.seen(await plan(club, club.alice, "d4 a1 c3 b2")).text
    )
    since = len(club.env.http_requests)
    await club.move(club.bob, "d4")
    assert await club.turns() == ("e5", "light", "d4", "a1")
    club.card().says("Turn 3 · Bob (Light) played `d4`", "Turn 4 · Alice (Dark) played `a1`, as planned")
    pings = [each for each in [*club.cards(), *club.lines()] if each.pinged]
    assert [each.pinged for each in pings[-1:]] == [(club.bob.id,)]
    sent = [each for each in club.posts(since) if "<@" in json.dumps(each.json)]
    assert len(sent) == 1
    text = await plan_of(club, club.alice)
    assert "✅ Came true: `d4` → `a1`" in text
    assert "- Planned: if Bob plays `c3`, you play `b2`." in text
    await club.restart()
    await club.move(club.bob, "c3")
    assert (await club.turns())[-2:] == ("c3", "b2")
    if board_cards is BoardCards.EVERY_TURN:
        past = [each.text for each in club.cards()][-2]
        assert "played `d4`" in past, "past cards keep both turns"
        assert "played `a1`, as planned" in past
        assert "`d4`" not in club.card().text
    assert "Nothing is left of this plan." in await plan_of(club, club.alice)


async def test_a_long_exchange_of_plans_fits_on_a_card(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    position, line = (await club.app.matches.game(1)).position, list[str]()
    while len(line) < MOST_TURNS:
        line.append(position.legal_turns[0])
        position, _events = position.play(line[-1])
    for who in (club.alice, club.bob):
        assert "….\n" in club.seen(await plan(club, who, " ".join(line))).text
    await club.move(club.bob, line[0])
    assert await club.turns() == ("e5", "light", *line)
    club.card().says(f"… {MOST_TURNS - 12} earlier turns\nTurn {MOST_TURNS - 9} ·", f"Turn {MOST_TURNS + 2} ·")


async def test_a_plan_can_be_made_during_the_own_turn(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    card = await club.open(club.bob, "try", turns="d4 a1")
    assert "Plan this" not in club.seen(card).labels, "nothing answers the opponent"
    await club.type_in(club.bob, "c3", on=card, field="turns")
    assert (
        "- Planned: after `d4`, if Alice plays `a1`, you play `c3`."
        in (await club.change(club.bob, "Plan this", on=card)).text
    )
    watched = await club.open(club.carol, "try", turns="d4 a1", match="1")
    assert "Plan this" not in club.seen(watched).labels, "she only watches"
    past = await club.open(club.alice, "try", turns="dark c3 a1", after=1)
    assert "Plan this" not in club.seen(past).labels
    stale = await club.open(club.alice, "try", turns="d4 a1")
    screen = club.screen(stale)
    await club.move(club.bob, "d4")
    await club.press_late(club.alice, "Plan this", screen)
    assert "The board has moved on since then." in club.seen(stale).text
    assert await club.app.plans.get(1, club.alice.id) is None
    await club.move(club.alice, "a1")
    assert await club.turns() == ("e5", "light", "d4", "a1", "c3")


async def test_branches_and_the_whole_plan_can_be_deleted(club: Club) -> None:
    await stored_match(club, ["e5", "light"])
    await plan(club, club.alice, "d4 a1")
    card = await plan(club, club.alice, "d3 a2")
    assert club.seen(card).text.count("\n- ") == 2
    stale = club.screen(card)
    await club.choose(club.alice, "0", card)
    assert "`d4`" not in club.seen(card).text
    assert "- Planned: if Bob plays `d3`, you play `a2`." in club.seen(card).text
    assert stale.buttons["Delete the plan"] == club.seen(card).buttons["Delete the plan"]
    assert "You have no plan for this match." in (await club.change(club.alice, "Delete the plan", on=card)).text
    await club.move(club.bob, "d3")
    assert await club.turns() == ("e5", "light", "d3")


async def test_a_plan_answers_the_computer_which_thinks_again(club: Club) -> None:
    await computer_match(club, ("e5", "dark"), level=1)
    own, answer, *others = (await club.app.matches.game(1)).position.legal_turns
    async with club.app.storage.transaction() as tx:
        game = await club.app.matches.load(tx, 1)
        branches = tuple((own, each, answer) for each in others)
        await tx.plans.set(1, club.alice.id, Plan(game.step, game.ply, branches))
    await club.env.advance_time(5)  # the computer keeps a pace
    await club.move(club.alice, own)
    turns = await club.turns()
    assert (turns[-4], turns[-2]) == (own, answer)
    text = club.card().text
    assert f"played `{answer}`, as planned" in text
    assert text.index(f"`{turns[-3]}`") < text.index(f"`{answer}`") < text.index(f"🤖 Turn {len(turns)} ")


async def test_nobody_else_finds_a_trace_of_a_plan(club: Club) -> None:
    """Everything that others can get of the match, in every way, before and after the plan answers."""
    bystanders = sample([*product(("", "d4"), (club.bob, club.carol))], 4)  # with the opponent first
    await club.match(turns=["e5", "light"])
    async with club.app.storage.transaction() as tx:
        await tx.plans.set(1, club.alice.id, Plan(2, 2, (("d4", "a1", MARKER, "b2"),)))
    for turn in ("", "d4"):
        if turn:
            await club.move(club.bob, turn)
        for who in [who for when, who in bystanders if when == turn]:
            found = [each async for each in everything_for(club, who)]
            assert len(found) > 15
            assert MARKER not in "\n".join(found)
    assert (await club.turns())[-1] == "a1"
    assert MARKER not in await data_of(club, club.bob)
    assert MARKER not in str(await club.offers(club.bob, "a1 ", command="try", option="turns"))
    assert MARKER not in str([club.seen(each) for each in club.messages()])
    assert MARKER not in str(club.log)
    assert MARKER not in generate_latest().decode()
    assert MARKER in await data_of(club, club.alice), "she gets her own"


async def everything_for(club: Club, who: MemberActor) -> AsyncIterator[str]:
    """Yield everything that a user reads after trying every command and button of the match, and all files."""
    commands: dict[str, dict[str, Any]] = {
        "board": {"overlay": "liberties"},
        "try": {"turns": "c3", "match": "1"},
        "replay": {"match": "1"},
        "history": {},
        "games": {},
        "profile": {"player": club.alice},
        "leaderboard": {"game": "dalen"},
    }
    for command, options in commands.items():
        answer = await club.slash(who, command, **options)
        for message in answer.messages:
            yield str(message)
            for file in message.files:
                yield (club.env.backend.cdn.get(file["url"]) or b"").decode(errors="replace")
    board = next(each for each in reversed(club.messages()) if "More…" in club.seen(each).buttons)
    labels = (await club.press(who, "More…", on=board)).messages[0].labels
    paths = [["More…", label] for label in labels]
    if "Even more…" in labels:
        more = club.seen(await club.press_all(who, "More…", "Even more…", on=board)).labels
        paths += [["More…", "Even more…", label] for label in more]
    for *path, label in paths:
        menu = await club.press_all(who, *path, on=board)
        yield str((await club.press(who, label, on=menu)).messages)
        if menu.id in club.env.backend.messages[menu.channel_id]:
            yield str(club.seen(menu))
    for typed in ("", "d4 ", "d4 a1 "):
        yield str(await club.offers(who, typed, command="try", option="turns"))
    yield await data_of(club, who)


async def data_of(club: Club, who: MemberActor) -> str:
    """A user's own data."""
    return str(await club.app.privacy.export(who.id))
