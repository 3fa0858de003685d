"""Games against the computer: choosing a level, starting at once, and rematches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import discord

import rules
from bot.discord.features.challenges.terms import (
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
from bot.discord.interaction.interactions import Interaction, alone, player_of, roles_of
from bot.discord.posting.cards.challenge import PlayComputerInstead
from bot.discord.posting.challenge_presenter import ChallengePresenter
from bot.discord.posting.marks import Rematch
from bot.discord.posting.presenter import Presenter
from bot.discord.transport import replies
from bot.discord.ui import ratings, scenes, words
from bot.discord.ui.messages import ActionButton, Menu, Message, compose
from bot.discord.ui.presses import Id, Press
from bot.domain.challenges import First
from bot.domain.computer import ComputerBusyError
from bot.domain.matches import Match
from bot.domain.players import computer
from bot.domain.proposal_rules import RematchExistsError
from bot.domain.ratings import Rating
from bot.services.challenges import Challenges
from bot.services.computer_games import ComputerGames
from bot.services.ratings import Ratings
from bot.texts import gettext as _
from rules import Ruleset
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
class ComputerGameButtons(Feature):
    games: ComputerGames
    challenges: Challenges
    ratings: Ratings
    access: Access
    presenter: Presenter
    challenge_presenter: ChallengePresenter

    async def level_form(self, interaction: Interaction, form: ChallengeForm) -> Message:
        """The card that asks for the level, with the terms that can be changed."""
        return level_choice(
            form.ruleset,
            *await self._rated_levels(interaction, form.ruleset),
            partial(ChooseLevel, form),
            menus=term_menus(form, computer=True),
            back=back_button(None if alone(interaction) else form),
        )

    async def start(self, interaction: Interaction, level: int, ruleset: Ruleset, first: First) -> None:
        """Start a game at once; the private answer then says where it is played, unless that is here."""
        async with _or_weaker(interaction, partial(_offer, ruleset, first)):
            await self._show(interaction, await self._begin(interaction, level, ruleset, first))

    async def start_suggested(self, interaction: Interaction, ruleset: Ruleset, first: First) -> None:
        """Start a game at once against the level that fits the user; the private answer then offers the others."""
        level = await self.games.suggested_level(interaction.user.id, ruleset.game.name)
        async with _or_weaker(interaction, partial(_offer, ruleset, first)):
            match = await self._begin(interaction, level, ruleset, first)
            await replies.tell(interaction, suggested_card(match, level, await self._whereabouts(interaction, match)))

    @handles(OfferOtherLevels)
    async def ask_again(self, interaction: Interaction, press: OfferOtherLevels) -> None:
        """Ask which level to play instead, in a match that has just begun."""
        match = await self.games.begun(press.match_id, interaction.user.id)
        rated = await self._rated_levels(interaction, match.ruleset)
        card = level_choice(match.ruleset, *rated, partial(ChangeLevel, match.id))
        await replies.show(interaction, card)

    @handles(ChangeLevel)
    async def change(self, interaction: Interaction, press: ChangeLevel) -> None:
        """Play that level instead."""
        async with _or_weaker(interaction, partial(ChangeLevel, press.match_id)):
            match = await self.games.change_level(press.match_id, player_of(interaction.user), press.level)
            if match.id != press.match_id:
                await self.presenter.show_match(press.match_id, interaction)
            await self._show(interaction, match)

    @handles(ChooseLevel)
    async def choose(self, interaction: Interaction, press: ChooseLevel) -> None:
        """Start the game of the form against the chosen level."""
        await self.start(interaction, press.level, press.form.ruleset, press.form.first)

    @handles(PlayComputerInstead)
    async def ask_instead(self, interaction: Interaction, press: PlayComputerInstead) -> None:
        """Ask the challenger which level to play, instead of waiting for somebody."""
        challenge = await self.challenges.get(press.challenge_id)
        if interaction.user.id != challenge.challenger.id:
            text = _("This button is for {player}. {play} starts a match of your own against me.")
            raise RefusalError(text.format(player=words.name(challenge.challenger), play=words.command("play")))
        rated = await self._rated_levels(interaction, challenge.ruleset)
        card = level_choice(challenge.ruleset, *rated, partial(StartInstead, challenge.id))
        await replies.tell(interaction, card)

    @handles(StartInstead)
    async def start_instead(self, interaction: Interaction, press: StartInstead) -> None:
        """Withdraw the challenge, and start the game."""
        async with _or_weaker(interaction, partial(StartInstead, press.challenge_id)):
            match = await self.games.start_instead(press.challenge_id, player_of(interaction.user), press.level)
            await self.challenge_presenter.show(press.challenge_id)
            await self._show(interaction, match)

    @handles(Rematch)
    async def rematch(self, interaction: Interaction, press: Rematch) -> None:
        """Start a rematch with swapped seats, against that level."""
        async with _or_weaker(interaction, partial(Rematch, press.match_id)):
            try:
                match = await self.games.rematch(press.match_id, player_of(interaction.user), press.level)
            except RematchExistsError as error:
                await self.presenter.edit_final_card(error.match.id)
                raise
            await self.presenter.edit_final_card(press.match_id)
            await self.presenter.show_match(match.id, interaction)
            if replies.on_private_card(interaction):  # that offered a weaker level
                await replies.finish(interaction)

    async def _rated_levels(self, interaction: Interaction, ruleset: Ruleset) -> tuple[dict[int, Rating], int]:
        """The ratings of the levels in a game, and the one that fits the user."""
        game = ruleset.game.name
        return await self.ratings.levels(game), await self.games.suggested_level(interaction.user.id, game)

    async def _begin(self, interaction: Interaction, level: int, ruleset: Ruleset, first: First) -> Match:
        return await self.games.start(
            await self.access.place_of(interaction),
            player_of(interaction.user),
            level,
            ruleset,
            first,
            role_ids=roles_of(interaction),
        )

    async def _show(self, interaction: Interaction, match: Match) -> None:
        whereabouts = await self._whereabouts(interaction, match)
        if whereabouts:
            await replies.show(interaction, whereabouts)
        else:
            await replies.finish(interaction)

    async def _whereabouts(self, interaction: Interaction, match: Match) -> str:
        """Show a match that has just begun; where it is played, unless that is here."""
        delivery = await self.presenter.show_match(match.id, interaction)
        if delivery.channel_id == interaction.channel_id:
            return ""
        assert interaction.channel_id is not None
        return words.whereabouts(match, delivery, interaction.channel_id)


@asynccontextmanager
async def _or_weaker(interaction: Interaction, press: Callable[[int], Press]) -> AsyncIterator[None]:
    """Start a game in this block; if there is no room for its level, offer one that there is room for, by the
    ``press`` for it.
    """
    try:
        yield
    except ComputerBusyError as error:
        await replies.tell(interaction, busy_card(sentence(error) or "", error.weaker, press))


def _offer(ruleset: Ruleset, first: First, level: int) -> Press:
    """The press that starts a game at once."""
    return ChooseLevel(ChallengeForm(ANYBODY, ruleset, first), level)


def level_choice(
    ruleset: Ruleset,
    rated: Mapping[int, Rating],
    suggested: int,
    press: Callable[[int], Press],
    *,
    menus: tuple[Menu, ...] = (),
    back: ActionButton | None = None,
) -> Message:
    """Asks which level to play; the button of a level is the ``press`` for it, the suggested one's comes first.

    The levels are ``rated`` if they have played enough. The game starts at once.
    """
    heading = _("### 🤖 Play the computer: {terms}").format(terms=words.terms(ruleset))
    advice = _("For you I suggest **level {level}**.").format(level=suggested)
    buttons = [
        ActionButton(
            press(level),
            _("Level {level}").format(level=level),
            discord.ButtonStyle.success if level == suggested else discord.ButtonStyle.secondary,
        )
        for level in sorted(LEVELS, key=lambda level: (level != suggested, level))
    ]
    return compose(
        heading,
        advice,
        _level_list(rated),
        menus=menus,
        footer=_("A level usually beats the one below it. The match starts at once, is casual and has no clock."),
        buttons=tuple(buttons),
        more_buttons=() if back is None else (back,),
        colour=scenes.colour(ruleset.game),
    )


def suggested_card(match: Match, level: int, whereabouts: str) -> Message:
    """Says privately that a match has begun against the level that was suggested, with a button for another one."""
    return compose(
        _("🤖 You are playing **level {level}**, which I suggest for you.").format(level=level),
        whereabouts,
        footer=_("Until your first turn, you can choose another one."),
        buttons=(ActionButton(OfferOtherLevels(match.id), _("Another level")),),
        colour=scenes.colour(match.ruleset.game),
    )


def busy_card(text: str, weaker: int, press: Callable[[int], Press]) -> Message:
    """Says in a text that there is no room for a game at some level, with the ``press`` for one at a ``weaker`` one."""
    button = ActionButton(press(weaker), _("Level {level}").format(level=weaker), discord.ButtonStyle.success)
    return compose(text, buttons=(button,))


def levels_card(rated: Mapping[str, Mapping[int, Rating]]) -> Message:
    """The profile of the computer: the ratings of its levels, by game."""
    lines = [
        f"**{rules.GAMES[game].title}** {_level_list(levels, short=True)}" for game, levels in rated.items() if levels
    ]
    return compose(
        "### 🤖 Hexgrove",
        _("I play every game at five levels. {challenge} with me as the opponent, or {play}, starts a match.").format(
            challenge=words.command("challenge"), play=words.command("play")
        ),
        "\n".join(lines),
        footer=_("The ratings follow from the levels' matches against people, whose ratings do not change."),
    )


def _level_list(rated: Mapping[int, Rating], *, short: bool = False) -> str:
    """The levels that have a rating, each with it."""
    if short:
        return " · ".join(f"{level}: {ratings.rating(rating)}" for level, rating in rated.items())
    return "\n".join(f"{words.name(computer(level))} · {ratings.rating(rating)}" for level, rating in rated.items())
