"""The plan of a match's card in one of its homes: the next step towards a card that shows the match. No I/O.

The presenter does each step, and then plans again with what it has learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias

import discord

from bot.discord.posting.cards.match import is_latest, is_older
from bot.discord.transport.sender import LeaseLostError, NotShownError
from bot.discord.ui import markdown
from bot.discord.ui.actions import AboutMatch
from bot.domain.deliveries import MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.players import Player
from bot.services.matches import MatchView

#: Discord limits edits of messages older than an hour.
_EDITABLE = timedelta(minutes=55)


@dataclass(frozen=True, slots=True)
class Below:
    """The messages below a card: the texts of the bot's pings to it by id, and whether there are ``more`` messages.

    ``cards`` are the marks of later cards of the same match by id, the newest first.
    """

    more: bool
    pings: Mapping[int, str] = field(default_factory=dict)
    cards: Mapping[int, AboutMatch] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """What a process knows of a card besides its delivery.

    Somebody has asked for a ``quiet`` card, which pings nobody. A ``living`` card is edited while it is at the end of
    the channel. While the process is ``unsure``, messages may have been sent without being noted. ``pinged`` is the
    player to ping.

    The other fields are what has happened since the process began to show the match: ``gone`` messages can no longer be
    edited; it has shown the match on a ``card`` that is not noted yet, and all messages ``sent`` are replaced unless
    they are noted; Discord has refused something, or only the ping if the card is ``unpinged``; or it has found no
    place for the match, which is ``placeless``.
    """

    now: datetime
    quiet: bool = False
    living: bool = False
    unsure: bool = False
    pinged: Player | None = None
    gone: frozenset[int] = frozenset()
    card: PostedMessage | None = None
    sent: tuple[ReplacedMessage, ...] = ()
    refusals: tuple[NotShownError, ...] = ()
    unpinged: bool = False
    placeless: bool = False


@dataclass(frozen=True, slots=True)
class FindPlace:
    """Find a place for the match, and take it out of its channel first if it is ``leaving``."""

    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """Edit a message, ``ping`` a player below it, and note both with the messages ``replaced``.

    ``ping_id`` is a ping that was found. Unless it is to be ``noted``, the message shows an older board than the one
    that another process has noted.
    """

    message: PostedMessage
    ping: Player | None = None
    ping_id: int | None = None
    replaced: tuple[ReplacedMessage, ...] = ()
    noted: bool = True


@dataclass(frozen=True, slots=True)
class Post:
    """Post a new card, whose id Discord gives, and note it with the messages ``replaced``."""

    message: PostedMessage
    replaced: tuple[ReplacedMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class Rest:
    """Leave the card as it is, and note that cards and pings sent in vain are ``replaced``."""

    replaced: tuple[ReplacedMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Report the last refusal. If the match ``loses_home``, it waits."""

    loses_home: bool = False


Step: TypeAlias = FindPlace | Edit | Post | Rest | GiveUp


def plan(delivery: MatchDelivery, view: MatchView, below: Below, known: Known) -> Step:
    """The next step that shows a match in a home, with the messages ``below`` its card there."""
    match, before = view.game.match, delivery.message
    over = match.result is not None
    if (step := _after_refusal(delivery, known, over=over)) is not None:
        return step
    if known.card is not None and before is not None and before.version >= known.card.version:
        if before.message_id == known.card.message_id and before.version > known.card.version:
            return Edit(before, noted=False)
        noted = before.message_id, delivery.ping_id
        return Rest(tuple(each for each in known.sent if each.message.message_id not in noted))
    if known.placeless or not delivery.outdated:
        return Rest()
    channel_id = channel_of(delivery, known)
    if channel_id is None:
        return FindPlace()
    return _send(delivery, view, PostedMessage(channel_id, 0, delivery.version, view.game.step), below, known)


def channel_of(delivery: MatchDelivery, known: Known) -> int | None:
    """The channel of the next card: the home of a match whose thread is closed to the bot, if it is over."""
    refused = any(refusal.channel_id == delivery.channel_id for refusal in known.refusals)
    return delivery.home.channel_id if refused else delivery.channel_id


def _send(delivery: MatchDelivery, view: MatchView, card: PostedMessage, below: Below, known: Known) -> Edit | Post:
    """How to send a ``card``: by an edit or as a new message, such as a quiet card or the final card of a match.

    A replaced card loses its buttons; replaced pings, and older cards that were not noted, are deleted. An unnoted card
    is edited, because Discord knows its nonce only for some minutes. A person's turn against the computer is shown on
    the existing card, and the computer's answer like any turn.
    """
    match, before = view.game.match, delivery.message
    surplus = {*below.pings, *(each for each, found in below.cards.items() if is_older(found, match))}
    ends = known.living and not below.more
    for unnoted in (each for each, found in below.cards.items() if is_latest(found, match)):
        if unnoted not in known.gone:
            card = replace(card, message_id=unnoted)
            if before is not None and ends:
                surplus.add(before.message_id)
            return Edit(card, replaced=_replaced(delivery, card, surplus))
    if before is not None and before.channel_id == card.channel_id and match.result is None and not known.quiet:
        stays = (view.exchange.goes_on or ends) and _is_editable(before, known.now)
        if stays and before.message_id not in known.gone:
            card, ping_id = replace(card, message_id=before.message_id), _found_ping(delivery, below, known.pinged)
            ping = known.pinged if ping_id is None else None
            return Edit(card, ping, ping_id, _replaced(delivery, card, surplus, ping_id))
    if before is not None and ends:
        surplus.add(before.message_id)
    return Post(card, _replaced(delivery, card, surplus))


def _after_refusal(delivery: MatchDelivery, known: Known, *, over: bool) -> Step | None:
    """The next step after the last refusal; None if there is another channel to try.

    A match outside a thread stays where it is: a channel closed to the bot should get no threads.
    """
    if not known.refusals:
        return None
    refusal, home = known.refusals[-1], delivery.home
    if isinstance(refusal, LeaseLostError):  # whoever takes the shard shows it
        return Rest()
    if not refusal.closed:
        return Rest() if known.unpinged else GiveUp()
    if known.placeless:
        return GiveUp()
    if refusal.channel_id == home.channel_id:
        return GiveUp(loses_home=refusal.lost and not over and home.guild_id is not None)
    if over or refusal.channel_id != delivery.channel_id:
        return None
    return FindPlace(leaving=True) if len(known.refusals) == 1 else GiveUp()


def _is_editable(card: PostedMessage, now: datetime) -> bool:
    """Whether Discord lets the card be edited as often as needed."""
    return now - discord.utils.snowflake_time(card.message_id) < _EDITABLE


def _found_ping(delivery: MatchDelivery, below: Below, pinged: Player | None) -> int | None:
    """The unnoted ping to a player below the card."""
    if pinged is None:
        return None
    unnoted = (each for each in below.pings if each > (delivery.ping_id or 0))
    return next((each for each in unnoted if markdown.mention(pinged) in below.pings[each]), None)


def _replaced(
    delivery: MatchDelivery, card: PostedMessage, surplus: Iterable[int], ping_id: int | None = None
) -> tuple[ReplacedMessage, ...]:
    """The messages that a card and its ping replace: those noted, and ``surplus`` ones beside the card."""
    before, found = delivery.message, {each: replace(card, message_id=each) for each in surplus}
    if before is not None and delivery.ping_id is not None:
        found[delivery.ping_id] = replace(before, message_id=delivery.ping_id)
    replaced = [ReplacedMessage(delivery.match_id, each, surplus=True) for each in found.values()]
    if before is not None and before.message_id not in found:
        replaced.append(ReplacedMessage(delivery.match_id, before, surplus=False))
    return tuple(each for each in replaced if each.message.message_id not in (card.message_id, ping_id))


def follow_up(before: MatchDelivery, now: MatchDelivery | None, *, over: bool) -> tuple[bool, list[int]]:
    """What follows once a board is shown: whether the card of the match's origin changes, and the free channels.

    ``now`` is None if the match has no place. If it ended without one, its origin says so.
    """
    left = None if before.message is None else before.message.channel_id
    here = None if now is None else now.channel_id
    moved = left is not None and left != here
    origin = over if now is None else moved or before.channel_id != here
    return origin, [each for each, is_free in ((here, over), (left, moved)) if is_free and each is not None]
