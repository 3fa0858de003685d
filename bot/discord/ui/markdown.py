"""Discord's own syntax: people, channels, roles, times, messages and commands that readers can tap."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from markupsafe import escape

from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.domain.matches import Match
from bot.domain.players import Player
from bot.texts import gettext as _, pgettext
from bot.texts.durations import span
from bot.wording import clocks
from bot.wording.quoting import as_code
from bot.wording.sentence import Sentence
from bot.wording.words import name, result_off_board


def mention(player: Player) -> str:
    return f"<@{player.id}>" if player.reachable else name(player)


def channel(channel_id: int) -> str:
    return f"<#{channel_id}>"


def role(role_id: int) -> str:
    return f"<@&{role_id}>"


def card_link(guild_id: int | None, card: PostedMessage | None) -> str | None:
    return None if card is None else card.address(guild_id)


def when(at: datetime) -> str:
    """A time, which Discord shows relative to now."""
    return f"<t:{int(at.timestamp())}:R>"


def clock_sentence(match: Match) -> str:
    """The clock of a running match and its hard end, which Discord counts down; empty without a clock."""
    clock, due_at = match.clock, match.turn_due_at
    if clock is None or due_at is None:
        return ""
    acting, other = match.players[clock.seat], match.players[1 - clock.seat]
    if match.awaits_first_turn:
        return clocks.first_turn(match, when)
    line = _("⏳ {player}'s time runs out {when}").format(player=name(acting), when=when(due_at))
    if not clock.control.per_turn:
        bank = _("{player} has {time}").format(player=name(other), time=span(clock.time_left[1 - clock.seat]))
        line = f"{line} · {bank}"
    if match.ends_at is None:
        return line
    end = _("🏁 The match ends by {when}; if it is still running then, whoever used less time wins.")
    return f"{line}\n{end.format(when=when(match.ends_at))}"


def whereabouts(match: Match, delivery: MatchDelivery, seen_from: int) -> str:
    """Where a match is played, or that it waits or is over, for a card in the channel ``seen_from``."""
    values = {"match": match.id, "first": name(match.first)}
    if delivery.channel_id == seen_from:
        text = _("Match #{match} is played here; {first} opens.")
        if match.ruleset.continues:
            text = _("Match #{match} is played here.")
        return text.format(**values)
    if delivery.channel_id is not None:
        text = _("Match #{match} is played in {channel}; {first} opens.")
        if match.ruleset.continues:
            text = _("Match #{match} is played in {channel}.")
        return text.format(channel=channel(delivery.channel_id), **values)
    if match.result is not None:
        return _("Match #{match} ended before it found a place. {result}").format(
            match=match.id, result=result_off_board(match)
        )
    text = _("Match #{match} **waits** for the match here to end, because I could not open a thread.")
    if match.guild_id is None:
        text = _("Match #{match} **waits** for the match here to end.")
    return text.format(match=match.id)


class CommandMentions:
    """Mentions of the registered commands, which users can tap; before the registration, plain names."""

    def __init__(self, registered: Iterable[Any] = ()) -> None:
        self._ids: dict[str, str] = {}
        self.note(registered)

    def note(self, registered: Iterable[Any]) -> None:
        """Record the ids of the commands that Discord has registered."""
        for command in registered:
            self._ids[command["name"]] = command["id"]

    def of(self, name: str) -> Sentence:
        """The mention of a command, such as ``move``; in plain text, the command as the reader types it."""
        if name not in self._ids:
            return as_code(f"/{name}")
        return Sentence(f"</{name}:{self._ids[name]}>", lambda: escape(_typed(name)))


def _typed(name: str) -> str:
    return f"/{pgettext('name', name)}"
