"""Matches against the computer: levels to choose from, and rematches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

import discord

import rules
from bot.discord.features.challenges.challenge_form import (
    ANYBODY,
    ChallengeForm,
    ChooseLevel,
    Level,
    back_button,
    term_menus,
)
from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError, sentence
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, place_of, player_of, roles_of
from bot.discord.posting.card_presenters import ChallengePresenter
from bot.discord.posting.cards.challenge import PlayComputerInstead
from bot.discord.posting.cards.match import Rematch
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.ui import markdown, scenes
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import ActionButton, Menu, Message, compose
from bot.discord.ui.presses import Id, Press
from bot.domain.challenges import First
from bot.domain.computer import ComputerBusyError
from bot.domain.matches import Match
from bot.domain.players import computer
from bot.domain.proposals import RematchExistsError
from bot.domain.ratings import Rating
from bot.services.challenges import Challenges
from bot.services.computer_games import ComputerGames
from bot.services.ratings import Ratings
from bot.texts import gettext as _
from bot.wording import ratings, words
from rules import Position, Ruleset
from rules.search import LEVELS


class OfferOtherLevels(Press, action="other-level"):
    match_id: Id


class ChangeLevel(Press, action="other-level-of"):
    match_id: Id
    level: Level


class StartInstead(Press, action="instead-of"):
    challenge_id: Id
    level: Level


@dataclass
class AgainstComputer(Feature):
    games: ComputerGames
    challenges: Challenges
    ratings: Ratings
    access: Access
    match_presenter: MatchPresenter
    challenge_presenter: ChallengePresenter
    command_mentions: CommandMentions

    async def level_form(self, interaction: Interaction, form: ChallengeForm) -> Message:
        """Ask for a level, with menus for the terms."""
        form = form.with_handicap(None)
        menus, back = term_menus(form, computer=True), back_button(form)
        return await self.level_choice(interaction, form.ruleset, partial(ChooseLevel, form), menus, (back,))

    async def suggested_level(self, interaction: Interaction, game: type[Position]) -> int:
        """The level that suits the user in a game."""
        return await self.games.suggested_level(interaction.user.id, game.name)

    async def start(
        self,
        interaction: Interaction,
        level: int | None,
        ruleset: Ruleset,
        first: First,
        press: Callable[[int], Press] | None = None,
    ) -> None:
        """Start a match. Without a level, the user gets the one that suits them, and a button for the others.

        Levels replace handicaps. If the computer has no room, a button offers a weaker level; ``press`` is called with
        that.
        """
        ruleset = ruleset if ruleset.handicap is None else replace(ruleset, setup="")
        chosen = level or await self.suggested_level(interaction, ruleset.game)
        async with _or_weaker(
            interaction, press or partial(ChooseLevel, ChallengeForm(ANYBODY, ruleset, first)), self.command_mentions
        ):
            match = await self.games.start(
                await self.access.place_of(interaction),
                player_of(interaction.user),
                chosen,
                ruleset,
                first,
                role_ids=roles_of(interaction),
                shown_by_caller=True,
            )
            if level is None:
                whereabouts = await self._whereabouts(interaction, match)
                await Answer.of(interaction).respond(suggested_card(match, chosen, whereabouts))
            else:
                await self._show(interaction, match)

    @handles(OfferOtherLevels)
    async def ask_again(self, interaction: Interaction, press: OfferOtherLevels) -> None:
        """Ask which level to play instead in a match that has just begun."""
        match = await self.games.match_to_change(press.match_id, interaction.user.id)
        card = await self.level_choice(interaction, match.ruleset, partial(ChangeLevel, match.id))
        await Answer.of(interaction).respond(card)

    @handles(ChangeLevel)
    async def change(self, interaction: Interaction, press: ChangeLevel) -> None:
        async with _or_weaker(interaction, partial(ChangeLevel, press.match_id), self.command_mentions):
            match = await self.games.change_level(
                press.match_id, player_of(interaction.user), press.level, shown_by_caller=True
            )
            if match.id != press.match_id:
                await self.match_presenter.show_match(press.match_id, interaction)
            await self._show(interaction, match)

    @handles(ChooseLevel)
    async def choose(self, interaction: Interaction, press: ChooseLevel) -> None:
        await self.start(interaction, press.level, press.form.ruleset, press.form.first)

    @handles(PlayComputerInstead)
    async def ask_instead(self, interaction: Interaction, press: PlayComputerInstead) -> None:
        """Ask the challenger which level to play instead of waiting."""
        challenge = await self.challenges.get(press.challenge_id)
        if interaction.user.id != challenge.challenger.id:
            text = _("This button is for {player}. {play} starts a match of your own.")
            raise RefusalError(
                text.format(player=words.name(challenge.challenger), play=self.command_mentions.of("play"))
            )
        card = await self.level_choice(interaction, challenge.ruleset, partial(StartInstead, challenge.id))
        await Answer.of(interaction).follow_up(card)

    @handles(StartInstead)
    async def start_instead(self, interaction: Interaction, press: StartInstead) -> None:
        """Withdraw the challenge, and start the match instead."""
        async with _or_weaker(interaction, partial(StartInstead, press.challenge_id), self.command_mentions):
            match = await self.games.start_instead(
                press.challenge_id, player_of(interaction.user), press.level, shown_by_caller=True
            )
            await self.challenge_presenter.show(press.challenge_id)
            await self._show(interaction, match)

    @handles(Rematch)
    async def rematch(self, interaction: Interaction, press: Rematch) -> None:
        """Start a rematch with swapped seats at the chosen level."""
        async with _or_weaker(interaction, partial(Rematch, press.match_id), self.command_mentions):
            try:
                match = await self.games.rematch(
                    press.match_id, player_of(interaction.user), press.level, shown_by_caller=True
                )
            except RematchExistsError as error:
                await self.match_presenter.edit_final_cards(error.match.id)
                raise
            await self.match_presenter.edit_final_cards(press.match_id)
            await self.match_presenter.show_match(match.id, interaction)
            if on_private_card(interaction):  # the card that offered a weaker level
                await Answer.of(interaction).delete()

    async def level_choice(
        self,
        interaction: Interaction,
        ruleset: Ruleset,
        press: Callable[[int], Press],
        menus: tuple[Menu, ...] = (),
        back: tuple[ActionButton, ...] = (),
    ) -> Message:
        """Ask for a level, the suggested one first; ``press`` is called with the level of a button."""
        rated = await self.ratings.levels(ruleset.game.name)
        suggested = await self.suggested_level(interaction, ruleset.game)
        buttons = [
            ActionButton(
                press(level),
                _("Level {level}").format(level=level),
                discord.ButtonStyle.success if level == suggested else discord.ButtonStyle.secondary,
            )
            for level in sorted(LEVELS, key=lambda level: (level != suggested, level))
        ]
        return compose(
            _("### 🤖 Play the computer: {terms}").format(terms=words.terms(ruleset)),
            _("I suggest **level {level}** for you.").format(level=suggested),
            "\n".join(f"{words.name(computer(level))} · {ratings.rating(rating)}" for level, rating in rated.items()),
            menus=menus,
            footer=_("A level usually beats the one below it. The match starts at once, is casual and has no clock."),
            buttons=tuple(buttons),
            more_buttons=back,
            colour=scenes.colour(ruleset.game),
        )

    async def _show(self, interaction: Interaction, match: Match) -> None:
        whereabouts = await self._whereabouts(interaction, match)
        if whereabouts:
            await Answer.of(interaction).respond(whereabouts)
        else:
            await Answer.of(interaction).delete()

    async def _whereabouts(self, interaction: Interaction, match: Match) -> str:
        """Show a match that has just begun, and say where it is unless it is here."""
        delivery = await self.match_presenter.show_match(match.id, interaction)
        if delivery.channel_id == interaction.channel_id:
            return ""
        return markdown.whereabouts(match, delivery, place_of(interaction).channel_id)


@asynccontextmanager
async def _or_weaker(
    interaction: Interaction, press: Callable[[int], Press], command_mentions: CommandMentions
) -> AsyncIterator[None]:
    """Offer a weaker level if the computer has no room for the match that the block starts."""
    try:
        yield
    except ComputerBusyError as error:
        label = _("Level {level}").format(level=error.weaker)
        weaker = ActionButton(press(error.weaker), label, discord.ButtonStyle.success)
        await Answer.of(interaction).follow_up(compose(sentence(error, command_mentions) or "", buttons=(weaker,)))


def suggested_card(match: Match, level: int, whereabouts: str) -> Message:
    """The private answer once a match at the suggested level has started, with a button for other levels."""
    return compose(
        _("🤖 You are playing **level {level}**, which I suggest for you.").format(level=level),
        whereabouts,
        footer=_("You can change the level until your first turn."),
        buttons=(ActionButton(OfferOtherLevels(match.id), _("Another level")),),
        colour=scenes.colour(match.ruleset.game),
    )


def levels_card(rated: Mapping[str, Mapping[int, Rating]], command_mentions: CommandMentions) -> Message:
    """The profile of the computer: the ratings of its levels by game."""
    lines = []
    for game, levels in rated.items():
        if levels:
            numbers = " · ".join(f"{level}: {ratings.rating(rating)}" for level, rating in levels.items())
            lines.append(f"**{rules.GAMES[game].title}** {numbers}")
    return compose(
        "### 🤖 Hexgrove",
        _("The computer plays every game at five levels. {play} starts a match.").format(
            play=command_mentions.of("play")
        ),
        "\n".join(lines),
        footer=_("A level's rating comes from its matches against people, whose own ratings do not change."),
    )
