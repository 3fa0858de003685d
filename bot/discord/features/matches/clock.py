"""The clocks of matches: their panel, reminders, and what follows when a flag falls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import discord

from bot import texts
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.posting.messenger import Messenger, log_not_shown
from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.ui import markdown, scenes
from bot.discord.ui.actions import OnBoard, OpenClock
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.domain.clocks import Clock, ClockView
from bot.domain.deliveries import CardKey
from bot.domain.matches import Match, MatchOverError, MovedOnError
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.runtime.timers import RetryLaterError, on_timer
from bot.services.clocks import Clocks, Fall, bank_seconds
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.services.outages import Outages
from bot.services.people.settings import Settings
from bot.services.strangers.pairing import Strangers
from bot.texts import gettext as _
from bot.texts.durations import span, time_control
from bot.wording import clocks, words


class ClaimWin(OnBoard, action="claim"):
    pass


class GiveTime(OnBoard, action="give-time"):
    """Give the opponent more time. ``seconds`` is their time on the card, so a double press gives it once."""

    seconds: int


@dataclass
class MatchClocks(Feature):
    """The buttons and timers of clocks. What a timer cannot show now is shown later."""

    matches: Matches
    clocks: Clocks
    deliveries: Deliveries
    outages: Outages
    strangers: Strangers
    settings: Settings
    languages: Languages
    messenger: Messenger
    match_presenter: MatchPresenter
    private_cards: PrivateCards

    @handles(OpenClock)
    async def show(self, interaction: Interaction, press: OpenClock) -> None:
        match = await self.matches.match(press.match_id)
        panel = clock_panel(match, interaction.user.id, await self.clocks.view(match))
        await self.private_cards.show(interaction, panel, match)

    @handles(ClaimWin)
    async def claim(self, interaction: Interaction, press: ClaimWin) -> None:
        async with _closing_when_stale(interaction):
            await self.clocks.claim(press.match_id, interaction.user.id, seen_step=press.step, shown_by_caller=True)
        await _close(interaction, _("You claimed the win."))
        await self.match_presenter.show_match(press.match_id, interaction)

    @handles(GiveTime)
    async def give_time(self, interaction: Interaction, press: GiveTime) -> None:
        user_id = interaction.user.id
        async with _closing_when_stale(interaction):
            match = await self.clocks.give_time(press.match_id, user_id, seen_step=press.step, seen_left=press.seconds)
        assert match.clock is not None
        text = _("{player} now has {time} more.")
        opponent, gift = words.name(match.opponent_of(user_id)), span(match.clock.control.gift)
        await _close(interaction, text.format(player=opponent, time=gift))
        await self.match_presenter.refresh_match(match.card_of(user_id))

    @on_timer(TimerKind.FLAG)
    async def drop_flag(self, match_id: int) -> None:
        await self.outages.check_presence(await self.matches.match(match_id))
        with log_not_shown("match_not_shown", match=match_id):
            if await self._leaves_lost_place(match_id):
                return
        fall, match = await self.clocks.flag_fell(match_id)
        with log_not_shown("notice_not_shown", retry=True, match=match_id):
            if fall is Fall.CLAIM:
                assert match.clock is not None
                winner = match.players[1 - match.clock.seat]
                await self._notify(match, winner, lambda: flag_notice(match), nonce=_nonce("f", match))

    @on_timer(TimerKind.REMINDER)
    async def remind(self, match_id: int) -> None:
        await self.outages.check_presence(await self.matches.match(match_id))
        with log_not_shown("match_not_shown", match=match_id):
            await self._leaves_lost_place(match_id)
        match = await self.clocks.to_remind(match_id)
        if match is None or match.clock is None:
            return
        player = match.players[match.clock.seat]
        if not player.reachable or not (await self.settings.preferences(player.id)).pings:
            return  # without a ping, the notice adds nothing to the card
        with log_not_shown("notice_not_shown", retry=True, match=match_id):
            await self._notify(match, player, lambda: reminder(match, player), nonce=_nonce("r", match))

    @on_timer(TimerKind.FIRST_TURN)
    async def check_first_turn(self, match_id: int) -> None:
        await self.outages.check_presence(await self.matches.match(match_id))
        with log_not_shown("match_not_shown", match=match_id):
            if await self._leaves_lost_place(match_id):
                raise RetryLaterError
        await self.strangers.check_first_turn(match_id)

    @on_timer(TimerKind.LOST_HOME)
    async def check_homes(self, match_id: int) -> None:
        await self.outages.check_presence(await self.matches.match(match_id))
        await self.strangers.check_homes(match_id)

    @on_timer(TimerKind.CARD)
    async def refresh_card(self, subject: int) -> None:
        key = CardKey.of(subject)
        with log_not_shown("notice_not_shown", retry=True, match=key.match_id):
            await self.match_presenter.refresh_match(key)

    async def _leaves_lost_place(self, match_id: int) -> bool:
        """Take the match out of lost places; True if there were any."""
        match = await self.matches.match(match_id)
        return any([await self.match_presenter.leave_lost_place(key) for key in match.card_keys])

    async def _notify(self, match: Match, player: Player, notice: Callable[[], Message], *, nonce: str) -> None:
        """Post a notice to a player where the match is played, if it is not waiting for a place."""
        delivery = await self.deliveries.get(match.id, player.id)
        if delivery.channel_id is None:
            return
        with texts.in_language(await self.languages.of_match(match, delivery)):
            message = notice()
        await self.messenger.show_everybody(delivery.channel_id, message, nonce, place=delivery.home)


@asynccontextmanager
async def _closing_when_stale(interaction: Interaction) -> AsyncIterator[None]:
    """Close the pressed panel or notice if the board has moved on."""
    try:
        yield
    except (MovedOnError, MatchOverError):
        await _close(interaction)
        raise


async def _close(interaction: Interaction, done: str = "") -> None:
    """Delete a public notice, or replace a private panel with the result."""
    if on_private_card(interaction):
        await Answer.of(interaction).respond(done or _("The board has moved on since then."))
    else:
        await Answer.of(interaction).delete()


def clock_panel(match: Match, viewer_id: int, view: ClockView) -> Message:
    """Both players' time and days off, with the viewer's buttons."""
    clock, rows = view.clock, []
    for seat, player in enumerate(match.players):
        time = clocks.time_left(view, seat)
        if seat == clock.seat and clock.flag_at is not None and view.time_left(seat):
            style: discord.utils.TimestampStyle = "f" if clock.control.slow else "T"
            time = _("{time}, until {when}").format(time=time, when=discord.utils.format_dt(clock.flag_at, style))
        rows.append(" · ".join(filter(None, [f"**{words.name(player)}**", time, clocks.days_off_left(view, seat)])))
    buttons: tuple[ActionButton, ...] = ()
    if match.has_player(viewer_id):
        seat = match.seat_of(viewer_id)
        buttons = _opponents_buttons(match, clock, 1 - seat, claim=view.may_claim(seat))
    return compose(
        _("### ⏳ Match #{match} · {control}").format(match=match.id, control=time_control(clock.control)),
        "\n".join(rows),
        clocks.first_turn(match, markdown.when),
        footer=clocks.terms(clock.control),
        buttons=buttons,
    )


def _opponents_buttons(match: Match, clock: Clock, seat: int, *, claim: bool) -> tuple[ActionButton, ...]:
    """The buttons for the opponent of the player in this seat."""
    gift = GiveTime(match.id, match.step, bank_seconds(clock, seat))
    give = ActionButton(gift, clocks.gift(clock.control))
    if not claim:
        return (give,)
    return ActionButton(ClaimWin(match.id, match.step), clocks.claim(), discord.ButtonStyle.primary), give


def reminder(match: Match, player: Player) -> Message:
    """The reminder that a player's time is running out."""
    assert match.clock is not None
    assert match.clock.flag_at is not None
    return compose(
        _("⏰ {player}, your time in match #{match} against {opponent} runs out {when}.").format(
            player=markdown.mention(player),
            match=match.id,
            opponent=words.name(match.opponent_of(player.id)),
            when=markdown.when(match.clock.flag_at),
        ),
        colour=scenes.GOLD,
        pings=(player,),
    )


def flag_notice(match: Match) -> Message:
    """The notice that the opponent's time is up, with buttons to claim the win or give time."""
    clock = match.clock
    assert clock is not None
    winner = match.players[1 - clock.seat]
    return compose(
        clocks.time_is_up(match, markdown.mention(winner)),
        buttons=_opponents_buttons(match, clock, clock.seat, claim=True),
        colour=scenes.GOLD,
        pings=(winner,),
    )


def _nonce(kind: str, match: Match) -> str:
    """A nonce of at most 25 characters for a notice. It stays the same until the clock changes."""
    assert match.clock is not None
    assert match.clock.flag_at is not None
    return f"{kind}{match.id}.{match.step}.{int(match.clock.flag_at.timestamp()) % 10**6}"
