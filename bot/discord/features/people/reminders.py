"""Quiet hours and digests: the form in which they are set, and what players are told then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from bot.discord.features.matches.games_cards import Listed, digest_entry
from bot.discord.posting.cards.challenge import digest_challenge
from bot.discord.ui import words
from bot.discord.ui.links import games_button
from bot.discord.ui.messages import Form, Message, Picture, compose, text_field
from bot.discord.ui.presses import Press, chosen
from bot.domain.challenges import Challenge
from bot.domain.day_times import LONGEST, zone_text
from bot.domain.preferences import Preferences
from bot.services.reminders import Waiting
from bot.texts import gettext as _
from bot.texts import ngettext

#: The most matches, and the most challenges, that a digest shows: Discord bounds the parts of a message.
SHOWN, _SHOWN_CHALLENGES = 5, 3
#: The most channels that it names in which there are more challenges.
_NAMED_CHANNELS = 10


class SetHours(Press, action="hours"):
    zone: str = chosen()
    quiet: str = chosen()
    digest: str = chosen()


def hours_form(preferences: Preferences) -> Form:
    """The form in which a player sets their time zone, quiet hours and digest."""
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
            "" if preferences.digest_at is None else time_of_day(preferences.digest_at),
        ),
    )


def hours_lines(preferences: Preferences) -> str:
    """What is set of this, as lines of the settings; empty if nothing is."""
    zone, lines = _zone(preferences), []
    if preferences.quiet_from is not None:
        lines.append(
            _(
                "🌙 No pings during {span} ({zone}). One follows when the quiet hours end; outside servers it is a "
                "direct message."
            ).format(span=_span(preferences), zone=zone)
        )
    if preferences.digest_at is not None:
        lines.append(
            _("📬 Daily digest at {time} ({zone}), if something waits for you.").format(
                time=time_of_day(preferences.digest_at), zone=zone
            )
        )
    return "\n".join(lines)


def quiet_over_notice(waiting: Waiting) -> Message:
    """Tells a player once what came during their quiet hours."""
    text = _("☀️ {player}, your quiet hours are over. Waiting for you: {what}. {games} shows them.").format(
        player=words.mention(waiting.player), what=_counts(waiting), games=words.command("games")
    )
    return compose(text, pings=(waiting.player,))


def digest_card(waiting: Waiting, listed: Sequence[Listed], boards: Mapping[int, Picture]) -> Message:
    """Tells a player by direct message what waits for them: the ``listed`` matches with their ``boards``, and
    challenges.
    """
    challenges = [
        digest_challenge(each, words.card_link(each.place.guild_id, waiting.challenge_messages[each.id]))
        for each in waiting.challenges[:_SHOWN_CHALLENGES]
    ]
    more = len(waiting.matches) > len(listed)
    return compose(
        _("### 📬 Waiting for you: {what}").format(what=_counts(waiting)),
        *(digest_entry(each, boards, waiting.player) for each in listed),
        *challenges,
        _more_challenges(waiting.challenges[_SHOWN_CHALLENGES:]),
        footer=_("{settings} changes or stops the digest.").format(settings=words.command("settings")),
        buttons=(games_button(),) if more else (),
    )


def digest_refused_note() -> str:
    """Tells a player that the digest was turned off because it could not be delivered."""
    return _(
        "📭 Your daily digest is off: you take no direct messages from me, so I could not deliver it. {settings} turns "
        "it on again."
    ).format(settings=words.command("settings"))


def _more_challenges(others: Sequence[Challenge]) -> str:
    """Where to find the challenges that the digest has no room for; empty if there are none."""
    if not others:
        return ""
    text = ngettext(
        "And {count} more challenge, in {channels}.", "And {count} more challenges, in {channels}.", len(others)
    )
    channels = list(dict.fromkeys(words.channel(each.place.channel_id) for each in others))
    if len(channels) > _NAMED_CHANNELS:
        channels[_NAMED_CHANNELS:] = ["…"]
    return text.format(count=len(others), channels=", ".join(channels))


def _counts(waiting: Waiting) -> str:
    matches, challenges = len(waiting.matches), len(waiting.challenges)
    parts = []
    if matches:
        parts.append(ngettext("{count} match", "{count} matches", matches).format(count=matches))
    if challenges:
        parts.append(ngettext("{count} challenge", "{count} challenges", challenges).format(count=challenges))
    return " · ".join(parts)


def _zone(preferences: Preferences) -> str:
    """The player's time zone, such as ``Europe/Berlin`` or ``UTC+5:30``."""
    text = zone_text(preferences.time_zone)
    return text.replace("_", " ") if text[0].isalpha() else f"UTC{text}"


def time_of_day(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"


def _span(preferences: Preferences) -> str:
    if preferences.quiet_from is None or preferences.quiet_to is None:
        return ""
    return f"{time_of_day(preferences.quiet_from)}-{time_of_day(preferences.quiet_to)}"
