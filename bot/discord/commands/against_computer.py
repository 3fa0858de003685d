"""Games against the computer: choosing a level, starting at once, and rematches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards import words
from bot.discord.cards.challenge_form import ANYBODY, ChallengeForm, back_button, game_menus
from bot.discord.cards.computer import busy_card, level_choice, suggested_card
from bot.discord.errors import RefusalError, sentence
from bot.discord.feature import Feature, handles
from bot.discord.interactions import Interaction, alone, place_of, player_of, roles_of
from bot.discord.messages import Message, OutdatedPressError, Press
from bot.discord.presenter import Presenter
from bot.domain.challenges import First
from bot.domain.computer import ComputerBusyError
from bot.domain.matches import Match
from bot.domain.proposal_refusals import RematchExistsError
from bot.domain.ratings import Rating
from bot.services.challenges import Challenges
from bot.services.computer_games import ComputerGames
from bot.services.ratings import Ratings
from bot.texts import gettext as _
from rules import Ruleset
from rules.search import LEVELS


class AgainstComputer(Feature):
    def __init__(
        self,
        games: ComputerGames,
        challenges: Challenges,
        ratings: Ratings,
        access: Access,
        presenter: Presenter,
    ) -> None:
        self._games = games
        self._challenges = challenges
        self._ratings = ratings
        self._access = access
        self._presenter = presenter

    async def level_form(self, interaction: Interaction, form: ChallengeForm) -> Message:
        """The card that asks for the level, with the terms that can be changed."""
        return level_choice(
            form.ruleset,
            *await self._known(interaction, form.ruleset),
            lambda level: form.press("offer-level", level),
            menus=game_menus(form),
            back=back_button(None if alone(interaction) else form),
        )

    async def start(self, interaction: Interaction, level: int, ruleset: Ruleset, first: First) -> None:
        """Start a game at once; the private answer then says where it is played, unless that is here."""
        async with _or_weaker(interaction, partial(_offer, ruleset, first)):
            await self._show(interaction, await self._begin(interaction, level, ruleset, first))

    async def start_suggested(self, interaction: Interaction, ruleset: Ruleset, first: First) -> None:
        """Start a game at once against the level that fits the user; the private answer then offers the others."""
        level = await self._games.suggested_level(interaction.user.id, ruleset.game.name)
        async with _or_weaker(interaction, partial(_offer, ruleset, first)):
            match = await self._begin(interaction, level, ruleset, first)
            await replies.tell(interaction, suggested_card(match, level, await self._whereabouts(interaction, match)))

    @handles("other-level")
    async def ask_again(self, interaction: Interaction, press: Press) -> None:
        """Ask which level to play instead, in a match that has just begun."""
        match = await self._games.begun(press.subject, interaction.user.id)
        known = await self._known(interaction, match.ruleset)
        card = level_choice(match.ruleset, *known, partial(Press, "other-level-of", match.id))
        await replies.show(interaction, card)

    @handles("other-level-of")
    async def change(self, interaction: Interaction, press: Press) -> None:
        """Play that level instead."""
        async with _or_weaker(interaction, partial(Press, press.action, press.subject)):
            match = await self._games.change_level(press.subject, player_of(interaction.user), _level(press))
            if match.id != press.subject:
                await self._presenter.show_match(press.subject)
            await self._show(interaction, match)

    @handles("offer-level")
    async def choose(self, interaction: Interaction, press: Press) -> None:
        """Start the game of the form against the chosen level."""
        form = ChallengeForm.of(press)
        await self.start(interaction, _level(press), form.ruleset, form.first)

    @handles("instead")
    async def ask_instead(self, interaction: Interaction, press: Press) -> None:
        """Ask the challenger which level to play, instead of waiting for somebody."""
        challenge = await self._challenges.get(press.subject)
        if interaction.user.id != challenge.challenger.id:
            text = _("This button is for {player}. {play} starts a match of your own against me.")
            raise RefusalError(text.format(player=words.name(challenge.challenger), play=words.command("play")))
        known = await self._known(interaction, challenge.ruleset)
        card = level_choice(challenge.ruleset, *known, partial(Press, "instead-of", challenge.id))
        await replies.tell(interaction, card)

    @handles("instead-of")
    async def start_instead(self, interaction: Interaction, press: Press) -> None:
        """Withdraw the challenge, and start the game."""
        async with _or_weaker(interaction, partial(Press, press.action, press.subject)):
            match = await self._games.start_instead(press.subject, player_of(interaction.user), _level(press))
            await self._presenter.show_challenge(press.subject)
            await self._show(interaction, match)

    @handles("again")
    async def rematch(self, interaction: Interaction, press: Press) -> None:
        """Start a rematch with swapped seats, against that level."""
        async with _or_weaker(interaction, partial(Press, press.action, press.subject)):
            try:
                match = await self._games.rematch(press.subject, player_of(interaction.user), _level(press))
            except RematchExistsError as error:
                await self._presenter.edit_final_card(error.match.id)
                raise
            await self._presenter.edit_final_card(press.subject)
            await self._presenter.show_match(match.id)
            if replies.on_private_card(interaction):  # that offered a weaker level
                await replies.finish(interaction)

    async def _known(self, interaction: Interaction, ruleset: Ruleset) -> tuple[dict[int, Rating], int]:
        """The ratings of the levels in a game, and the one that fits the user."""
        game = ruleset.game.name
        return await self._ratings.levels(game), await self._games.suggested_level(interaction.user.id, game)

    async def _begin(self, interaction: Interaction, level: int, ruleset: Ruleset, first: First) -> Match:
        return await self._games.start(
            place_of(interaction),
            player_of(interaction.user),
            level,
            ruleset,
            first,
            parent_id=await self._access.thread_parent(interaction),
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
        delivery = await self._presenter.show_match(match.id)
        assert delivery is not None, "it was started in a channel"
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
    return ChallengeForm(ANYBODY, ruleset, first).press("offer-level", level)


def _level(press: Press) -> int:
    if press.step not in LEVELS:
        raise OutdatedPressError
    return press.step
