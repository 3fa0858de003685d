"""How the card of a match is shown, case by case, and what follows from its place."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.discord.posting.board_plan import Below, Edit, FindPlace, GiveUp, Known, Post, Rest, Step, follow_up, plan
from bot.discord.posting.cards.match import FindNextMatch
from bot.discord.transport.sender import LeaseLostError, NotShownError
from bot.discord.ui.actions import More
from bot.domain.computer import Exchange
from bot.domain.deliveries import CardKey, MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Ending, Game, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.services.matches import MatchView
from tests.support.services import matches

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ALICE, BOB = Player(1, "Alice"), Player(2, "Bob")
MATCH, STEP = 7, 5
HOME, THREAD, NEXT_THREAD = 10, 11, 12
OLD = discord.utils.time_snowflake(NOW - timedelta(hours=1))
#: The messages of the cases: the noted card and ping, and later ones, noted or not.
CARD, PING, LATER, LAST, SENT, SENT_PING = (discord.utils.time_snowflake(NOW) + number for number in range(6))
NAMES = {
    CARD: "card",
    OLD: "old card",
    PING: "ping",
    LATER: "later",
    LAST: "last",
    SENT: "sent",
    SENT_PING: "sent ping",
    HOME: "home",
    THREAD: "thread",
    NEXT_THREAD: "next thread",
}
#: Messages below the card: none, a person's, and the bot's unnoted pings and cards.
NOTHING, WORDS = Below(more=False), Below(more=True)
LATEST, OLDER = (Below(more=True, cards={LATER: More(MATCH, step)}) for step in (STEP, STEP - 1))
FINAL = Below(more=True, cards={LATER: FindNextMatch(MATCH)})
CALLS = Below(more=False, pings={LATER: f"<@{BOB.id}>, it is your turn", LAST: f"<@{ALICE.id}>, it is your turn"})


def refusal(channel_id: int, status: int, code: int = 0) -> NotShownError:
    kind = {403: discord.Forbidden, 404: discord.NotFound}.get(status, discord.HTTPException)
    response: Any = SimpleNamespace(status=status, reason="")
    return NotShownError(channel_id, kind(response, {"code": code, "message": ""}))


def down(channel_id: int) -> NotShownError:
    return refusal(channel_id, 503)


def closed(channel_id: int) -> NotShownError:
    return refusal(channel_id, 403, 50013)


def gone(channel_id: int) -> NotShownError:
    return refusal(channel_id, 404, 10003)


def locked(channel_id: int) -> NotShownError:
    return refusal(channel_id, 400, 50083)


def view_of(delivery: MatchDelivery, *, over: bool = False, goes_on: bool = False) -> MatchView:
    result = Result(ALICE.id, Ending.RESIGNATION) if over else None
    match = replace(matches.MATCH, id=MATCH, first=ALICE, second=BOB, ply=STEP, step=STEP, result=result)
    game = Game(match, (), match.ruleset.start(), ())
    return matches.view_of(game, delivery, exchange=Exchange(goes_on=goes_on))


def delivery_of(
    *,
    noted: int | None = CARD,
    shown: int = 4,
    version: int = 5,
    ping: int | None = PING,
    at: int | None = HOME,
    card_at: int | None = None,
    guild: int | None = 1,
) -> MatchDelivery:
    """A match played ``at`` a channel, whose ``noted`` card shows a version there or elsewhere."""
    message = None if noted is None else PostedMessage(card_at or at or HOME, noted, shown, STEP - 1)
    return MatchDelivery(version, message, MATCH, Place(guild, HOME, guild is None), at, ping)


def said(step: Step) -> str:
    """A step in words, with the messages that lose their buttons or are deleted."""
    match step:
        case FindPlace(leaving):
            words = ["leave and find a place" if leaving else "find a place"]
        case GiveUp(loses_home):
            words = ["give up and lose the home" if loses_home else "give up"]
        case Edit(message, ping, ping_id, recorded=recorded):
            words = [f"edit {NAMES[message.message_id]}"]
            words += [f"ping {ping.name}"] if ping else []
            words += [f"keep {NAMES[ping_id]}"] if ping_id else []
            words += [] if recorded else ["not noted"]
        case Post(message):
            words = [f"post in {NAMES[message.channel_id]}"]
        case _:
            words = ["rest"]
    replaced = step.replaced if isinstance(step, Edit | Post | Rest) else ()
    for act, surplus in (("strip", False), ("delete", True)):
        names = sorted(NAMES[each.message.message_id] for each in replaced if each.surplus is surplus)
        words += [f"{act} {' and '.join(names)}"] if names else []
    return ", ".join(words)


def sent(version: int, *, edited: bool = False, ping: bool = False) -> dict[str, Any]:
    """The knowledge of a process that has shown a version of the board, but could not note it."""
    card = PostedMessage(HOME, CARD if edited else SENT, version, STEP)
    messages = [ReplacedMessage(CardKey(MATCH), card, surplus=not edited)]
    if ping:
        messages.append(ReplacedMessage(CardKey(MATCH), replace(card, message_id=SENT_PING), surplus=True))
    return {"card": card, "sent": tuple(messages), "unsure": True}


#: Keys of a situation that concern the delivery and the view. The other keys are what the process knows.
DELIVERY, VIEW = {"noted", "shown", "version", "ping", "at", "card_at", "guild"}, {"over", "goes_on"}
LIVING: dict[str, Any] = {"living": True, "pinged": BOB}
#: Cases by name: the situation, the messages below the card, and the next step.
CASES: dict[str, tuple[dict[str, Any], Below, str]] = {
    # One living card.
    "living": (LIVING, NOTHING, "edit card, ping Bob, delete ping"),
    "living, first card": ({"noted": None, "ping": None, **LIVING}, WORDS, "post in home"),
    "living, in a thread": ({"at": THREAD, **LIVING}, NOTHING, "edit card, ping Bob, delete ping"),
    "living, no pings wanted": ({"living": True}, NOTHING, "edit card, delete ping"),
    "living, no ping before": ({"ping": None, **LIVING}, NOTHING, "edit card, ping Bob"),
    "living, below words": (LIVING, WORDS, "post in home, strip card, delete ping"),
    "living, of an hour ago": ({"noted": OLD, **LIVING}, NOTHING, "post in home, delete old card and ping"),
    "living, deleted": ({**LIVING, "gone": frozenset({CARD})}, NOTHING, "post in home, delete card and ping"),
    "living, asked for": ({"living": True, "quiet": True}, NOTHING, "post in home, delete card and ping"),
    "living, asked for below words": ({"living": True, "quiet": True}, WORDS, "post in home, strip card, delete ping"),
    "living, over": ({"over": True, **LIVING}, NOTHING, "post in home, delete card and ping"),
    "living, over below words": ({"over": True, **LIVING}, WORDS, "post in home, strip card, delete ping"),
    # A take-back is a step like any other. The text of the card is not decided here.
    "living, taken back": ({"shown": 4, "version": 6, **LIVING}, NOTHING, "edit card, ping Bob, delete ping"),
    # A card for every turn.
    "every turn": ({"ping": None, "pinged": BOB}, WORDS, "post in home, strip card"),
    "every turn, nothing below": ({"ping": None, "unsure": True}, NOTHING, "post in home, strip card"),
    "every turn, asked for": ({"ping": None, "quiet": True}, WORDS, "post in home, strip card"),
    "every turn, over": ({"ping": None, "over": True}, WORDS, "post in home, strip card"),
    "every turn, living before": ({"pinged": BOB}, WORDS, "post in home, strip card, delete ping"),
    # An exchange with the computer, which thinks about its answer.
    "computer thinks": ({"ping": None, "goes_on": True}, WORDS, "edit card"),
    "computer has answered": ({"ping": None}, WORDS, "post in home, strip card"),
    "computer thinks, asked for": ({"ping": None, "goes_on": True, "quiet": True}, WORDS, "post in home, strip card"),
    "computer thinks, of an hour ago": (
        {"noted": OLD, "ping": None, "goes_on": True},
        WORDS,
        "post in home, strip old card",
    ),
    "computer thinks, moved": (
        {"at": NEXT_THREAD, "card_at": THREAD, "ping": None, "goes_on": True},
        WORDS,
        "post in next thread, strip card",
    ),
    # Nothing to show.
    "up to date": ({"shown": 5}, WORDS, "rest"),
    # Messages that were sent but not noted.
    "unnoted card": ({**LIVING, "unsure": True}, LATEST, "edit later, strip card, delete ping"),
    "unnoted first card": ({"noted": None, "ping": None, "unsure": True}, LATEST, "edit later"),
    "unnoted final card": ({"ping": None, "over": True, "unsure": True}, FINAL, "edit later, strip card"),
    "unnoted card, asked for": ({"ping": None, "unsure": True, "quiet": True}, LATEST, "edit later, strip card"),
    "unnoted card, deleted": (
        {"ping": None, "unsure": True, "gone": frozenset({LATER})},
        LATEST,
        "post in home, strip card",
    ),
    "unnoted older card": ({"ping": None, "unsure": True}, OLDER, "post in home, strip card, delete later"),
    "unnoted card of the end": (
        {"ping": None, "over": True, "unsure": True},
        OLDER,
        "post in home, strip card, delete later",
    ),
    "unnoted ping": (LIVING, CALLS, "edit card, keep later, delete last and ping"),
    "unnoted ping, none wanted": ({"living": True}, CALLS, "edit card, delete last and later and ping"),
    "noted ping of before": ({"ping": LATER, **LIVING}, CALLS, "edit card, ping Bob, delete last and later"),
    # Discord is temporarily down.
    "ping refused for now": ({**LIVING, "refusals": (down(HOME),), "unpinged": True}, NOTHING, "rest"),
    "card refused for now": ({**LIVING, "refusals": (down(HOME),)}, NOTHING, "give up"),
    "lease lost": ({**LIVING, "refusals": (LeaseLostError(HOME),)}, NOTHING, "rest"),
    "lease lost before the ping": ({**LIVING, "refusals": (LeaseLostError(HOME),), "unpinged": True}, NOTHING, "rest"),
    # The home is closed or gone.
    "home closed": ({"refusals": (closed(HOME),)}, WORDS, "give up"),
    "home closed to pings": ({"refusals": (closed(HOME),), "unpinged": True}, WORDS, "give up"),
    "home gone": ({"refusals": (gone(HOME),)}, WORDS, "give up and lose the home"),
    "home hidden": ({"refusals": (refusal(HOME, 403, 50001),)}, WORDS, "give up and lose the home"),
    "home gone, over": ({"over": True, "refusals": (gone(HOME),)}, WORDS, "give up"),
    "conversation gone": ({"guild": None, "refusals": (gone(HOME),)}, WORDS, "give up"),
    # The thread is closed or gone. Sending opens an archived thread, but not a locked one.
    "thread gone": ({"at": THREAD, "refusals": (gone(THREAD),)}, WORDS, "leave and find a place"),
    "thread archived and locked": ({"at": THREAD, "refusals": (locked(THREAD),)}, WORDS, "leave and find a place"),
    "thread left for home": (
        {"at": HOME, "card_at": THREAD, "ping": None, **LIVING, "refusals": (gone(THREAD),)},
        WORDS,
        "post in home, strip card",
    ),
    "thread left, home gone": (
        {"at": HOME, "card_at": THREAD, "refusals": (gone(THREAD), gone(HOME))},
        WORDS,
        "give up and lose the home",
    ),
    "thread left, next one closed": (
        {"at": NEXT_THREAD, "card_at": THREAD, "refusals": (gone(THREAD), closed(NEXT_THREAD))},
        WORDS,
        "give up",
    ),
    "thread gone, over": (
        {"at": THREAD, "ping": None, "over": True, "refusals": (gone(THREAD),)},
        WORDS,
        "post in home, strip card",
    ),
    "thread gone, over, home closed": (
        {"at": THREAD, "over": True, "refusals": (gone(THREAD), closed(HOME))},
        WORDS,
        "give up",
    ),
    # The match waits for a place.
    "no place yet": ({"at": None, "noted": None}, WORDS, "find a place"),
    "no place free": ({"at": None, "noted": None, "placeless": True}, WORDS, "rest"),
    "thread gone, no place free": ({"at": THREAD, "refusals": (gone(THREAD),), "placeless": True}, WORDS, "give up"),
    # Another process has shown the match meanwhile.
    "noted": ({"noted": SENT, "shown": 5, **sent(5)}, WORDS, "rest"),
    "noted with its ping": ({"shown": 5, "ping": SENT_PING, **sent(5, edited=True, ping=True)}, NOTHING, "rest"),
    "newer version on the edited card": (
        {"shown": 6, "version": 6, **sent(5, edited=True)},
        WORDS,
        "edit card, not noted",
    ),
    "newer version restored": ({"shown": 6, "version": 6, **sent(6, edited=True)}, WORDS, "rest"),
    "newer version elsewhere": (
        {"shown": 6, "version": 6, **sent(5, ping=True)},
        WORDS,
        "rest, delete sent and sent ping",
    ),
    "newer version elsewhere, this one edited": (
        {"noted": LATER, "shown": 6, "version": 7, **sent(5, edited=True)},
        WORDS,
        "rest, strip card",
    ),
    "same version elsewhere": ({"shown": 5, **sent(5)}, WORDS, "rest, delete sent"),
    "older version elsewhere": (
        {"shown": 4, "ping": None, **sent(5)},
        Below(more=True, cards={SENT: More(MATCH, STEP)}),
        "edit sent, strip card",
    ),
    "older version on the edited card": (
        {"shown": 4, **LIVING, **sent(5, edited=True, ping=True)},
        Below(more=False, pings={SENT_PING: f"<@{BOB.id}>"}),
        "edit card, keep sent ping, delete ping",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_card_is_shown_as_planned(name: str) -> None:
    situation, below, expected = CASES[name]
    delivery_is, view_is, knows = (
        {key: value for key, value in situation.items() if key in keys}
        for keys in (DELIVERY, VIEW, situation.keys() - DELIVERY - VIEW)
    )
    delivery = delivery_of(**delivery_is)
    assert said(plan(delivery, view_of(delivery, **view_is), below, Known(NOW, **knows))) == expected


def test_replaced_messages_are_looked_for_where_they_are() -> None:
    delivery = delivery_of(at=HOME, card_at=THREAD)
    step = plan(delivery, view_of(delivery), OLDER, Known(NOW, unsure=True))
    assert isinstance(step, Post)
    where = {NAMES[each.message.message_id]: (each.message.channel_id, each.message.step) for each in step.replaced}
    assert where == {"card": (THREAD, STEP - 1), "ping": (THREAD, STEP - 1), "later": (HOME, STEP)}


@pytest.mark.parametrize(
    ("before", "now", "over", "expected"),
    [
        pytest.param({}, {}, False, (False, []), id="turn"),
        pytest.param({"at": None, "noted": None}, {"at": HOME}, False, (True, []), id="place found"),
        pytest.param({"at": THREAD}, {"at": NEXT_THREAD}, False, (True, [THREAD]), id="thread left"),
        pytest.param({"at": None, "card_at": THREAD}, {"at": HOME}, False, (True, [THREAD]), id="moved"),
        pytest.param({}, {}, True, (False, [HOME]), id="end"),
        pytest.param({"at": None, "noted": None}, None, False, (False, []), id="still waiting"),
        pytest.param({"at": None, "noted": None}, None, True, (True, []), id="end without a place"),
    ],
)
def test_origins_and_free_channels_follow_from_the_place(
    before: dict[str, Any], now: dict[str, Any] | None, over: bool, expected: tuple[bool, list[int]]
) -> None:
    shown = None if now is None else delivery_of(**now, shown=5)
    assert follow_up(delivery_of(**before), shown, over=over) == expected
