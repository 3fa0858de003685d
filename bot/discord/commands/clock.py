"""The option ``clock``, and the buttons of clocks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.discord import replies
from bot.discord.cards.clock import clock_panel, gift_notice, time_control
from bot.discord.cards.words import plain
from bot.discord.errors import sentence
from bot.discord.feature import Feature, handles
from bot.discord.interactions import LONGEST_CHOICE, MOST_CHOICES, Choices, Interaction, choice, player_of, suggestions
from bot.discord.messages import Press, number, read
from bot.discord.presenter import Presenter
from bot.discord.private_cards import PrivateCards
from bot.domain.clocks import PRESETS, TimeControl, TimeControlError, read_time_control
from bot.domain.matches import MatchOverError, MovedOnError
from bot.services.clocks import Clocks
from bot.services.matches import Matches
from bot.texts import gettext as _


@suggestions
async def clocks(interaction: Interaction, current: str) -> Choices:
    """Presets, and what was typed as the bot reads it. A number without a unit is offered with several units."""
    if current.strip():
        read = [reading for text in _readings(current) if (reading := _read(text)) is not None]
        offered = [each for each in dict.fromkeys(read) if each is not None]
        presets = [each for each in PRESETS if current.casefold() in time_control(each).casefold()]
        offered += [each for each in presets if each not in offered]
        if not offered and _read(current) is None:
            return _explained(current)
    else:
        offered = list(PRESETS)
    choices = [choice(time_control(each), typed_form(each)) for each in offered]
    if not current.strip() or not offered or "none".startswith(current.strip().casefold()):
        choices.insert(0, choice(_("no clock"), "none"))
    return choices[:MOST_CHOICES]


def _readings(typed: str) -> list[str]:
    """What a text may mean: what it says or, if it has only numbers, that with the units of slow and of quick games."""
    numbers = [part.strip() for part in typed.split("+")]
    if not all(number.isascii() and number.isdecimal() for number in numbers) or len(numbers) > 2:
        return [typed]
    slow, quick = ("d", "d"), ("min", "s")
    return ["+".join(f"{n}{unit}" for n, unit in zip(numbers, units, strict=False)) for units in (slow, quick)]


def _read(typed: str) -> TimeControl | None:
    try:
        return read_time_control(typed)
    except TimeControlError:
        return None


def _explained(typed: str) -> Choices:
    """A choice that says why a text is not a clock, or “no clock” if that is what it means."""
    try:
        read_time_control(typed)
    except TimeControlError as error:
        return [choice(f"✗ {plain(sentence(error) or '')}", typed[:LONGEST_CHOICE])]
    return [choice(_("no clock"), "none")]


def typed_form(control: TimeControl) -> str:
    """A time control as typed text, in seconds, that reads back as the same."""
    bank = f"{round(control.bank.total_seconds())}s"
    strict = " strict" if control.hard else ""
    if control.per_turn:
        return f"{bank} a turn{strict}"
    cap = "" if control.cap is None else f" max {round(control.cap.total_seconds())}s"
    return f"{bank} + {round(control.bonus.total_seconds())}s{cap}{strict}"


class ClockButtons(Feature):
    """The buttons of clocks."""

    def __init__(self, matches: Matches, clocks: Clocks, presenter: Presenter, private_cards: PrivateCards) -> None:
        self._private_cards = private_cards
        self._matches = matches
        self._clocks = clocks
        self._presenter = presenter

    @handles("time")
    async def show(self, interaction: Interaction, press: Press) -> None:
        """Show both players' time, in private."""
        match = await self._matches.match(press.subject)
        if match.result is not None or match.clock is None:
            raise MatchOverError(match)
        first, second = [await self._clocks.days_off_left(player.id) for player in match.players]
        panel = clock_panel(match, interaction.user.id, (first, second), self._clocks.now())
        await self._private_cards.show(interaction, panel, match)

    @handles("claim")
    async def claim(self, interaction: Interaction, press: Press) -> None:
        """Claim the win."""
        async with _closing_when_stale(interaction):
            await self._clocks.claim(press.subject, interaction.user.id, seen_step=press.step)
        await _close(interaction, _("You claimed the win."))
        await self._presenter.show_match(press.subject)

    @handles("give-time")
    async def give_time(self, interaction: Interaction, press: Press) -> None:
        """Give the opponent more time."""
        user, seen_left = interaction.user, read(number, press.argument) if press.argument else -1
        async with _closing_when_stale(interaction):
            match = await self._clocks.give_time(press.subject, user.id, seen_step=press.step, seen_left=seen_left)
        await _close(interaction, gift_notice(match, player_of(user)))
        await self._presenter.refresh_match(press.subject)


@asynccontextmanager
async def _closing_when_stale(interaction: Interaction) -> AsyncIterator[None]:
    """Close the panel or the notice if the board has moved on."""
    try:
        yield
    except (MovedOnError, MatchOverError):
        await _close(interaction)
        raise


async def _close(interaction: Interaction, done: str = "") -> None:
    """Replace a private panel by the result, and delete a public notice."""
    message = interaction.message
    assert message is not None
    if message.flags.ephemeral:
        await replies.replace(interaction, done or _("The board has moved on since then."))
        return
    try:
        await interaction.delete_original_response()
    except replies.DISCORD_FAILURES:
        await replies.replace(interaction, done or _("The board has moved on since then."))
