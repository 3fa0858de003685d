"""Daily digests, and the pings after quiet hours."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import structlog

from bot import texts
from bot.discord.features.matches.games import ListedMatch, digest_entry, list_match, small_boards
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.challenge import AcceptInDigest, challenge_entry
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.answers import Answer
from bot.discord.transport.requests import DISCORD_FAILURES
from bot.discord.transport.sender import NotShownError, Sender
from bot.discord.transport.servers import Servers
from bot.discord.ui import markdown
from bot.discord.ui.actions import games_button
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import Form, Message, Picture, compose, text_field
from bot.discord.ui.presses import Press, user_input
from bot.domain.challenges import Challenge
from bot.domain.day_times import LONGEST, zone_text
from bot.domain.places import Place
from bot.domain.preferences import Preferences
from bot.domain.timers import TimerKind
from bot.runtime.timers import on_timer
from bot.services.matches import Matches
from bot.services.people.reminders import Reminder, Reminders
from bot.texts import gettext as _, ngettext

_LOG = structlog.get_logger(__name__)
#: In place of a user's conversation with the bot.
_ALONE = Place(None, 0)
#: Maximum numbers of matches and challenges in a digest, for which Discord has room, and of channels that it names.
MOST_MATCHES, _MOST_CHALLENGES, _MOST_CHANNELS = 5, 3, 10


class SetHours(Press, action="hours"):
    zone: str = user_input()
    quiet: str = user_input()
    digest: str = user_input()


def hours_form(preferences: Preferences) -> Form:
    """The form for a player's time zone, quiet hours and digest."""
    field = partial(text_field, most=LONGEST, required=False)
    return Form(
        SetHours(),
        _("Quiet hours and digest"),
        field(
            "zone",
            _("Your time zone"),
            _("A large city in it, such as Berlin. Or hours from UTC, such as +2, without summer time."),
            zone_text(preferences.time_zone),
        ),
        field("quiet", _("Quiet from-to"), _("Such as 22-8. Empty: pings at any time."), _span(preferences)),
        field(
            "digest",
            _("Daily digest at"),
            _("Such as 18:30. A direct message, if something waits for you. Empty: none."),
            "" if preferences.digest_at is None else _time_of_day(preferences.digest_at),
        ),
    )


def hours_texts(preferences: Preferences) -> Iterator[str]:
    """Yield the lines about quiet hours and the digest in a player's settings."""
    zone = zone_text(preferences.time_zone)
    zone = zone.replace("_", " ") if zone[0].isalpha() else f"UTC{zone}"
    if preferences.quiet_from is not None:
        text = _(
            "🌙 No pings during {span} ({zone}). One follows when the quiet hours end; outside servers it is a direct "
            "message."
        )
        yield text.format(span=_span(preferences), zone=zone)
    if preferences.digest_at is not None:
        text = _("📬 Daily digest at {time} ({zone}), if something waits for you.")
        yield text.format(time=_time_of_day(preferences.digest_at), zone=zone)


def quiet_over_notice(waiting: Reminder, command_mentions: CommandMentions) -> Message:
    """The ping about all that waits for a player after quiet hours."""
    text = _("☀️ {player}, your quiet hours are over. Waiting for you: {what}. See {games}.").format(
        player=markdown.mention(waiting.player), what=_counts(waiting), games=command_mentions.of("games")
    )
    return compose(text, pings=(waiting.player,))


def digest_card(
    waiting: Reminder, listed: Sequence[ListedMatch], boards: Mapping[int, Picture], command_mentions: CommandMentions
) -> Message:
    """The direct message about the matches and challenges that wait for a player, with ``boards`` by match number."""
    challenges = []
    for challenge in waiting.challenges[:_MOST_CHALLENGES]:
        link = markdown.card_link(challenge.place.guild_id, waiting.challenge_messages[challenge.id])
        challenges.append(challenge_entry(challenge, AcceptInDigest(challenge.id), link))
    return compose(
        _("### 📬 Waiting for you: {what}").format(what=_counts(waiting)),
        *(digest_entry(match, boards, waiting.player) for match in listed),
        *challenges,
        _more_challenges(waiting.challenges[_MOST_CHALLENGES:]),
        footer=_("{settings} changes or stops the digest.").format(settings=command_mentions.of("settings")),
        buttons=(games_button(),) if len(waiting.matches) > len(listed) else (),
    )


async def tell_refusal(interaction: Interaction, reminders: Reminders, command_mentions: CommandMentions) -> None:
    """Tell a user once that their digest is off, because it could not be delivered."""
    if await reminders.pop_refusal(interaction.user.id):
        text = _(
            "📭 Your daily digest is off: you do not accept direct messages from me, so I could not deliver it. "
            "{settings} turns it on again."
        )
        with suppress(*DISCORD_FAILURES):
            await Answer.of(interaction).follow_up(text.format(settings=command_mentions.of("settings")))


def _more_challenges(others: Sequence[Challenge]) -> str:
    """The number and the channels of challenges for which the digest has no room."""
    if not others:
        return ""
    text = ngettext(
        "And {count} more challenge, in {channels}.", "And {count} more challenges, in {channels}.", len(others)
    )
    channels = list(dict.fromkeys(markdown.channel(challenge.place.channel_id) for challenge in others))
    if len(channels) > _MOST_CHANNELS:
        channels[_MOST_CHANNELS:] = ["…"]
    return text.format(count=len(others), channels=", ".join(channels))


def _counts(waiting: Reminder) -> str:
    matches, challenges, items = len(waiting.matches), len(waiting.challenges), []
    if matches:
        items.append(ngettext("{count} match", "{count} matches", matches).format(count=matches))
    if challenges:
        items.append(ngettext("{count} challenge", "{count} challenges", challenges).format(count=challenges))
    return " · ".join(items)


def _time_of_day(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"


def _span(preferences: Preferences) -> str:
    if preferences.quiet_from is None or preferences.quiet_to is None:
        return ""
    return f"{_time_of_day(preferences.quiet_from)}-{_time_of_day(preferences.quiet_to)}"


@dataclass
class Digests(Feature):
    servers: Servers
    matches: Matches
    reminders: Reminders
    languages: Languages
    messenger: Messenger
    sender: Sender
    command_mentions: CommandMentions

    @on_timer(TimerKind.DIGEST)
    async def send(self, player_id: int) -> None:
        """Send a player's digest if it is due and something waits for them; silently during quiet hours."""
        waiting = await self.reminders.digest(player_id)
        if waiting is None:
            return
        chosen = waiting.preferences
        with _in_language_of(waiting):
            card = replace(await self._card(waiting), silent=chosen.quiet_until(waiting.loaded_at) is not None)
        around = chosen.digests_around(waiting.loaded_at)
        assert around is not None, "it is due"
        try:
            await self.sender.send_directly(player_id, card, nonce=_nonce(player_id, around[0]))
        except NotShownError as error:
            _LOG.info("digest_not_sent", reason=str(error))
            if error.closed:
                await self.reminders.stop_digests(player_id)
            else:
                await self.reminders.put_off(TimerKind.DIGEST, player_id)
            return
        await self.reminders.end_digest(player_id)

    @on_timer(TimerKind.QUIET_END)
    async def end_quiet_hours(self, player_id: int) -> None:
        """Ping a player where something waits for them or, if the bot may not post there, by direct message."""
        waiting = await self.reminders.quiet_over(player_id)
        if waiting is None:
            return
        try:
            if not await self._ping_at_place(waiting):
                with _in_language_of(waiting):
                    notice = quiet_over_notice(waiting, self.command_mentions)
                await self.sender.send_directly(player_id, notice, nonce=secrets.token_hex(8))
        except NotShownError as error:
            _LOG.warning("reminder_not_shown", channel=error.channel_id, reason=str(error))
            if not error.closed:
                await self.reminders.put_off(TimerKind.QUIET_END, player_id)

    async def _ping_at_place(self, waiting: Reminder) -> bool:
        """Ping a player where something waits for them; False if the bot may not post there."""
        if waiting.place is None:
            return False
        with texts.in_language(await self.languages.of_server(waiting.place.guild_id)):
            notice = quiet_over_notice(waiting, self.command_mentions)
        try:
            await self.messenger.show_everybody(waiting.place.channel_id, notice)
        except NotShownError as error:
            if not error.closed:
                raise
            return False
        return True

    async def _card(self, waiting: Reminder) -> Message:
        listed = []
        for pending in waiting.matches[:MOST_MATCHES]:
            if pending.match.guild_id is not None:
                await self.servers.wait(pending.match.guild_id)  # the bot may just have started
            listed.append(list_match(pending, waiting.deliveries[pending.match.id], self.servers, _ALONE))
        games = [await self.matches.game_of(match.pending.match) for match in listed]
        boards = await asyncio.to_thread(small_boards, games, waiting.preferences, waiting.player.id)
        return digest_card(waiting, listed, boards, self.command_mentions)


def _nonce(player_id: int, due_at: datetime) -> str:
    """A nonce of at most 25 characters for the digest that was due at this time."""
    return f"d{player_id:x}.{int(due_at.timestamp()) // 60:x}"


def _in_language_of(waiting: Reminder) -> AbstractContextManager[None]:
    chosen = waiting.preferences
    return texts.in_language(chosen.language or chosen.direct_language or texts.SOURCE)
