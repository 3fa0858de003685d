"""Turns, however they are put together: chosen step by step on a private card, pressed, or typed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.discord.features.matches.games import GamesCommands
from bot.discord.interaction.errors import refused, sentence
from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.languages import PREFERENCES
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.presenter import Presenter
from bot.discord.transport import replies
from bot.discord.transport.delivery import NotShownError
from bot.discord.ui import words
from bot.discord.ui.keypad import AREA, before_last_choice, digest, part_number, up_to_choice
from bot.discord.ui.links import OnBoard
from bot.discord.ui.messages import Form, Message, OutdatedPressError, Press
from bot.discord.ui.quoting import as_code
from bot.discord.ui.scenes import private_look
from bot.discord.ui.turn_entry import asks, at_once_offer, turn_card, turn_form
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Game, MatchOverError, MovedOnError
from bot.domain.play import check_awaited
from bot.domain.preferences import TURNS_BEFORE_OFFER, Confirmation, Preferences
from bot.domain.refusals import DomainError
from bot.services.matches import Matches
from bot.services.settings import Settings
from bot.texts import gettext as _
from rules import Draft, Passed, SideChosen, TurnError


@dataclass
class TurnBuilder(Feature):
    def __init__(
        self,
        matches: Matches,
        settings: Settings,
        presenter: Presenter,
        match_lists: GamesCommands,
        private_cards: PrivateCards,
    ) -> None:
        self.private_cards = private_cards
        self.matches = matches
        self.settings = settings
        self.presenter = presenter
        self.match_lists = match_lists

    @opens_form("type")
    async def open_form(self, interaction: Interaction, press: Press) -> Form:
        """The form in which the turn can be typed, for the player whose turn it is."""
        async with self.retiring(interaction, press):
            return turn_form(*await self.matches.begun_turn(press.subject, interaction.user.id, press.step))

    @handles("play", "part")
    async def open_turn(self, interaction: Interaction, press: Press) -> None:
        """Show the turn as far as the player has put it together on this board; or a part of the board to begin in."""
        async with self.retiring(interaction, press):
            game, text = await self.matches.begun_turn(press.subject, interaction.user.id, press.step)
            area = part_number(press.argument) if press.action == "part" and not text else None
            await self._show(interaction, game, text, area=area)

    @handles("open-turn")
    async def open_turn_now(self, interaction: Interaction, press: Press) -> None:
        """Show the turn on the board as it is now: who presses does not see the board that the button knew."""
        match = await self.matches.match(press.subject)
        await self._show(interaction, *await self.matches.begun_turn(match.id, interaction.user.id, match.step))

    @handles("turn")
    async def press_turn(self, interaction: Interaction, press: Press) -> None:
        """Play the turn that a button names."""
        async with self.retiring(interaction, press):
            game = await self.matches.awaiting_game(press.subject, interaction.user.id, press.step)
            await self.submit(interaction, game, press.argument)

    @handles("pick", "back", "cancel", "confirm")
    async def go_on(self, interaction: Interaction, press: Press) -> None:
        """Do what was pressed or chosen on the private card of a turn."""
        user = interaction.user
        try:
            game, text = await self.matches.begun_turn(press.subject, user.id, press.step)
            if press.action == "cancel":
                await self._forget(interaction, game, text)
                return
            known, _dot, chosen = press.argument.partition(".")
            if known != digest(text):
                note = _("You have continued elsewhere. This is your turn now:")
                await self._show(interaction, game, text, note=note)
                return
            match press.action:
                case "pick":
                    # The cards of earlier versions had menus.
                    await self._pick(interaction, game, text, press.chosen or chosen)
                case "back" if chosen or not text:
                    await self._show(interaction, game, text)
                case "back":
                    await self._go_back(interaction, game, text)
                case _:
                    draft = await asyncio.to_thread(game.position.draft, text)
                    if draft.complete:
                        await self._play(interaction, game, draft)
                        await self._offer_to_play_at_once(interaction)
                    else:
                        await self._show(interaction, game, draft)
        except (DomainError, TurnError) as error:
            if press.action == "confirm" and await self.was_just_played(press, press.argument):
                await replies.finish(interaction)
            else:
                await replies.replace(interaction, sentence(error) or "")

    @handles("typed")
    async def play_typed(self, interaction: Interaction, press: Press) -> None:
        """Play what was typed into the form; what cannot be played comes back with the reason, and nothing is lost."""
        if (text := press.chosen) is None:
            raise OutdatedPressError
        game, draft = await self.matches.begun_turn(press.subject, interaction.user.id, press.step)
        try:
            await self.submit(interaction, game, text)
        except TurnError as error:
            note = f"✗ {refused(text, error)}"
            await self.private_cards.dismiss_turn(interaction, game.match.id)
            await self._show(interaction, game, draft, note=note)

    async def submit(self, interaction: Interaction, game: Game, text: str) -> None:
        """Play a turn, or show it first: when it is not complete, or when the player wants to be asked."""
        user = interaction.user
        check_awaited(game, user.id)
        draft = await asyncio.to_thread(game.position.draft, text)
        if draft.complete:
            wish = (await self._wishes(interaction)).confirmation
            if not await asyncio.to_thread(asks, wish, game, draft):
                await self._play(interaction, game, draft)
                return
        before = await self.matches.draft(game.match, user.id)
        await self.matches.save_draft(game, user.id, draft, before=before)
        note = _("This turn is not complete yet.") if not draft.complete else _("Do you mean this?")
        await self._show(interaction, game, draft, note=note)

    @asynccontextmanager
    async def retiring(self, interaction: Interaction, press: Press | OnBoard) -> AsyncIterator[None]:
        """Remove the buttons of the pressed card when it turns out that the board has moved on."""
        try:
            yield
        except (MovedOnError, MatchOverError):
            message = interaction.message
            if message is not None and not message.flags.ephemeral:
                if not interaction.response.is_done():
                    await replies.acknowledge(interaction)
                match_id = press.match if isinstance(press, OnBoard) else press.subject
                card = PostedMessage(message.channel.id, message.id, 0, press.step)
                await self.presenter.retire_card(match_id, card)
            raise

    async def _pick(self, interaction: Interaction, game: Game, text: str, chosen: str) -> None:
        user = interaction.user
        if chosen.startswith(AREA):
            await self._show(interaction, game, text, area=part_number(chosen.removeprefix(AREA)))
            return
        draft = await asyncio.to_thread(up_to_choice, game.position, text + chosen)
        try:
            await self.matches.save_draft(game, user.id, draft, before=text)
        except MovedOnError:  # chosen twice at once
            await self._show(interaction, game, await self.matches.draft(game.match, user.id))
            return
        if draft.complete and not draft.steps and await self._goes_at_once(interaction, game, draft):
            await self._play(interaction, game, draft)
        else:
            await self._show(interaction, game, draft)

    async def _goes_at_once(self, interaction: Interaction, game: Game, draft: Draft) -> bool:
        """Whether the player wants a turn that was put together with buttons to be played without a look at it."""
        wish = (await self._wishes(interaction)).confirmation
        if wish not in (Confirmation.AT_ONCE, Confirmation.NEVER):
            return False
        return not await asyncio.to_thread(asks, wish, game, draft)

    async def _offer_to_play_at_once(self, interaction: Interaction) -> None:
        """Offer it once, to somebody who has put some turns together with buttons and knows no other way."""
        wishes = await self._wishes(interaction)
        usual = wishes.confirmation is Confirmation.RISKY and wishes.turns_by_buttons < TURNS_BEFORE_OFFER
        if usual and await self.settings.count_turn_by_buttons(interaction.user.id):
            await replies.tell(interaction, at_once_offer())

    async def _go_back(self, interaction: Interaction, game: Game, text: str) -> None:
        """Go back to the last step that had an alternative, and show what could be chosen instead."""
        fewer, area = await asyncio.to_thread(before_last_choice, game.position, text)
        await self.matches.save_draft(game, interaction.user.id, fewer, before=text)
        await self._show(interaction, game, fewer, area=area)

    async def _forget(self, interaction: Interaction, game: Game, text: str) -> None:
        if text:
            await self.matches.save_draft(game, interaction.user.id, None, before=text)
        await replies.finish(interaction)

    async def _show(
        self, interaction: Interaction, game: Game, turn: Draft | str, *, area: int | None = None, note: str = ""
    ) -> None:
        """Show the turn on the private card, which replaces the one where something was pressed."""
        user = interaction.user
        look = private_look(await self._wishes(interaction), game, user.id)

        def card() -> Message:
            draft = game.position.draft(turn) if isinstance(turn, str) else turn
            return turn_card(game, draft, look, area=area, note=note)

        await self.private_cards.show(interaction, await asyncio.to_thread(card), game.match, builds_turn=True)

    async def _play(self, interaction: Interaction, game: Game, turn: Draft) -> None:
        """Store the turn and show the board; then the private card, or the command's answer, has served."""
        played = await self.matches.play_draft(game, turn, player_of(interaction.user))
        try:
            shown = await self.presenter.show_game(played)
        except NotShownError:
            if replies.on_private_card(interaction):
                await replies.finish(interaction)
            raise
        seen_here = shown is not None and shown.channel_id in (None, interaction.channel_id)
        text = _answer(played, None if shown is None or seen_here else shown.channel_id)
        if played.next_match is not None:
            await self.match_lists.offer_next(interaction, played.next_match, text)
            return
        if interaction.message is not None and not replies.on_private_card(interaction):
            return
        await (replies.finish(interaction) if seen_here else replies.show(interaction, text))

    async def _wishes(self, interaction: Interaction) -> Preferences:
        """The user's preferences, which were loaded for their language already."""
        loaded: Preferences | None = interaction.extras.get(PREFERENCES)
        return loaded or await self.settings.preferences(interaction.user.id)

    async def was_just_played(self, press: Press, turn: str) -> bool:
        """Whether this turn, given by its digest, was the last one played, as after a double press."""
        game = await self.matches.game(press.subject)
        return game.step == press.step + 1 and bool(game.turns) and digest(game.turns[-1]) == turn


def _answer(played: Game, channel_id: int | None) -> str:
    """What is said to the player whose turn was played; with the channel of its board, if that is elsewhere."""
    values = {"turn": as_code(played.turns[-1]), "match": played.match.id}
    match played.events[0]:
        case SideChosen(chosen):
            values["side"] = words.side(played.match.ruleset, chosen)
            here = _("You chose **{side}** in match #{match}.")
            elsewhere = _("You chose **{side}** in match #{match}: {channel}")
        case Passed():
            here, elsewhere = _("You passed in match #{match}."), _("You passed in match #{match}: {channel}")
        case _:
            here = _("Played {turn} in match #{match}.")
            elsewhere = _("Played {turn} in match #{match}: {channel}")
    if channel_id is None:
        return here.format(**values)
    return elsewhere.format(channel=words.channel(channel_id), **values)
