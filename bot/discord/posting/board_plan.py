"""The plan of a match's card in a home: the next step towards a card that shows the match. No I/O.

The presenter takes each step, and then plans again with what it has learned.
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
    """What is below a card: the bot's pings to it, as texts by message id, and whether there are ``more`` messages.

    ``cards`` are the marks of later cards of the same match by message id, the newest first.
    """

    more: bool
    pings: Mapping[int, str] = field(default_factory=dict)
    cards: Mapping[int, AboutMatch] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """What a process knows of a card besides its delivery.

    A ``quiet`` card pings nobody. A ``living`` card is edited while it is at the end of its channel. While the process
    is ``unsure``, there may be messages that were sent but not recorded. ``pinged`` is the player to ping.

    The other fields say what has happened since the process began to show the match. Discord can no longer edit the
    messages that are ``gone``. The match is shown on the ``card``, and the messages ``sent`` are replaced unless they
    are recorded. The ``refusals`` are Discord's; if the card is ``unpinged``, only the ping was refused. A
    ``placeless`` match has found no place.
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
    """Find a place for the match; if it is ``leaving``, after taking it out of its channel."""

    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """Edit a message, ``ping`` a player below it, and record both with the messages ``replaced``.

    ``ping_id`` is a ping found below it. The edit is not to be ``recorded`` if another process has already recorded a
    newer board on that message.
    """

    message: PostedMessage
    ping: Player | None = None
    ping_id: int | None = None
    replaced: tuple[ReplacedMessage, ...] = ()
    recorded: bool = True


@dataclass(frozen=True, slots=True)
class Post:
    """Post a new card, and record it with the messages ``replaced``. The id of ``message`` is not yet known."""

    message: PostedMessage
    replaced: tuple[ReplacedMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class Rest:
    """Leave the card as it is, and record cards and pings sent in vain as ``replaced``."""

    replaced: tuple[ReplacedMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Report the last refusal. A match that ``loses_home`` waits from then on."""

    loses_home: bool = False


Step: TypeAlias = FindPlace | Edit | Post | Rest | GiveUp


def plan(delivery: MatchDelivery, view: MatchView, below: Below, known: Known) -> Step:
    """The next step towards showing a match in a home."""
    match, before = view.game.match, delivery.message
    over = match.result is not None
    if (step := _after_refusal(delivery, known, over=over)) is not None:
        return step
    if known.card is not None and before is not None and before.version >= known.card.version:
        if before.message_id == known.card.message_id and before.version > known.card.version:
            return Edit(before, recorded=False)
        recorded = before.message_id, delivery.ping_id
        return Rest(tuple(sent for sent in known.sent if sent.message.message_id not in recorded))
    if known.placeless or not delivery.outdated:
        return Rest()
    channel_id = channel_of(delivery, known)
    if channel_id is None:
        return FindPlace()
    return _send(delivery, view, PostedMessage(channel_id, 0, delivery.version, view.game.step), below, known)


def channel_of(delivery: MatchDelivery, known: Known) -> int | None:
    """The channel for the next card: the channel of the match or, if that has refused the card, its home."""
    refused = any(refusal.channel_id == delivery.channel_id for refusal in known.refusals)
    return delivery.home.channel_id if refused else delivery.channel_id


def _send(delivery: MatchDelivery, view: MatchView, card: PostedMessage, below: Below, known: Known) -> Edit | Post:
    """How to send a ``card``: by an edit or, such as a quiet card or the final card of a match, as a new message.

    Replaced cards lose their buttons; replaced pings and older unrecorded cards are deleted. A found, unrecorded card
    is edited, because Discord knows its nonce only for some minutes. A turn against the computer is shown on the
    existing card, and the computer's answer like any turn.
    """
    match, before = view.game.match, delivery.message
    surplus = {*below.pings, *(message_id for message_id, mark in below.cards.items() if is_older(mark, match))}
    ends = known.living and not below.more
    for message_id, mark in below.cards.items():
        if is_latest(mark, match) and message_id not in known.gone:
            card = replace(card, message_id=message_id)
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
    """The next step after the last refusal; None to try another channel.

    A match outside a thread gets no thread instead, because its channel is closed to the bot.
    """
    if not known.refusals:
        return None
    refusal, home = known.refusals[-1], delivery.home
    if isinstance(refusal, LeaseLostError):  # the process that holds the shard shows the match
        return Rest()
    if not refusal.closed:
        return Rest() if known.unpinged else GiveUp()
    if known.placeless:
        return GiveUp()
    if refusal.channel_id == home.channel_id:
        lost = delivery.player_id is not None or (refusal.lost and home.guild_id is not None)
        return GiveUp(loses_home=lost and not over)
    if over or refusal.channel_id != delivery.channel_id:
        return None
    return FindPlace(leaving=True) if len(known.refusals) == 1 else GiveUp()


def _is_editable(card: PostedMessage, now: datetime) -> bool:
    """Whether Discord still allows any number of edits."""
    return now - discord.utils.snowflake_time(card.message_id) < _EDITABLE


def _found_ping(delivery: MatchDelivery, below: Below, pinged: Player | None) -> int | None:
    """The id of an unrecorded ping to a player below the card."""
    if pinged is None:
        return None
    unrecorded = (ping_id for ping_id in below.pings if ping_id > (delivery.ping_id or 0))
    return next((ping_id for ping_id in unrecorded if markdown.mention(pinged) in below.pings[ping_id]), None)


def _replaced(
    delivery: MatchDelivery, card: PostedMessage, surplus: Iterable[int], ping_id: int | None = None
) -> tuple[ReplacedMessage, ...]:
    """The messages that a card and its ping replace: the recorded ones, and the ``surplus`` ones beside the card."""
    before, found = delivery.message, {message_id: replace(card, message_id=message_id) for message_id in surplus}
    if before is not None and delivery.ping_id is not None:
        found[delivery.ping_id] = replace(before, message_id=delivery.ping_id)
    replaced = [ReplacedMessage(delivery.key, message, surplus=True) for message in found.values()]
    if before is not None and before.message_id not in found:
        replaced.append(ReplacedMessage(delivery.key, before, surplus=False))
    return tuple(old for old in replaced if old.message.message_id not in (card.message_id, ping_id))


def follow_up(before: MatchDelivery, now: MatchDelivery | None, *, over: bool) -> tuple[bool, list[int]]:
    """What follows once a board is shown: whether the card of the match's origin changes, and which channels are free.

    ``now`` is None if the match has no place. If it ended without a place, the card of its origin says so.
    """
    left = None if before.message is None else before.message.channel_id
    here = None if now is None else now.channel_id
    moved = left is not None and left != here
    origin = over if now is None else moved or before.channel_id != here
    channels = (here, over), (left, moved)
    return origin, [channel_id for channel_id, is_free in channels if is_free and channel_id is not None]
