"""Plans: answers to the opponent's next turns, which a player makes on the card of ``/try`` and nobody else sees."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import discord

from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.cards.match import board_picture
from bot.discord.ui.actions import AboutMatch, OpenPlan, TryTurns
from bot.discord.ui.messages import ActionButton, Menu, Message, Picture, compose, option_menu
from bot.discord.ui.presses import user_input
from bot.discord.ui.turn_entry import COLOUR
from bot.domain.matches import Game, Match
from bot.domain.plans import Plan
from bot.domain.play import check_running
from bot.domain.study.lines import Line
from bot.domain.turn_entry import digest
from bot.pictures import private_look
from bot.services.matches import Matches
from bot.services.plans import Plans
from bot.texts import gettext as _
from bot.wording import lines as wording, words


class DeletePlan(AboutMatch, action="plan-delete"):
    pass


class DeleteBranch(AboutMatch, action="plan-branch"):
    """Delete a branch by its number in the plan on the card, which has the digest ``plan_digest``."""

    plan_digest: str
    number: int = user_input()


@dataclass
class PlanButtons(Feature):
    matches: Matches
    plans: Plans
    languages: Languages
    private_cards: PrivateCards

    @handles(OpenPlan)
    async def open(self, interaction: Interaction, press: OpenPlan) -> None:
        await self._show(interaction, press.match_id)

    async def add(self, interaction: Interaction, match: Match, line: Line) -> None:
        """Add a tried line to the user's plan, and show the plan."""
        await self.plans.add(match, interaction.user.id, line)
        await self._show(interaction, match.id)

    @handles(DeletePlan)
    async def delete(self, interaction: Interaction, press: DeletePlan) -> None:
        await self.plans.delete(press.match_id, interaction.user.id)
        await self._show(interaction, press.match_id)

    @handles(DeleteBranch)
    async def delete_branch(self, interaction: Interaction, press: DeleteBranch) -> None:
        plan = await self.plans.get(press.match_id, interaction.user.id)
        if plan is not None and press.plan_digest == _digest(plan) and press.number < len(plan.branches):
            await self.plans.delete(press.match_id, interaction.user.id, plan.branches[press.number])
        await self._show(interaction, press.match_id)

    async def _show(self, interaction: Interaction, match_id: int) -> None:
        user_id, game = interaction.user.id, await self.matches.game(match_id)
        check_running(game.match, user_id)
        plan = await self.plans.get(match_id, user_id)
        start = game if plan is None else await self.matches.game_at(game.match, plan.ply)
        look = private_look(await self.languages.load(interaction), game, user_id)
        card = await asyncio.to_thread(lambda: plan_card(plan, start, game, user_id, board_picture(game, look)))
        await self.private_cards.show(interaction, card, game.match)


def plan_card(plan: Plan | None, start: Game, game: Game, player_id: int, board: Picture) -> Message:
    """A player's plan, which begins at ``start``, or how to make one. Replays the match: call it in a thread."""
    match = game.match
    opponent = words.name(match.opponent_of(player_id))
    text = _(
        "You have no plan for this match. Try out a turn of {opponent} and your answer to it, then press **Plan this**."
    ).format(opponent=opponent)
    footer = wording.about_plans()
    buttons, menus = [ActionButton(TryTurns(match.id, game.ply), _("Try turns"), emoji="🧪")], tuple[Menu, ...]()
    if plan is not None:
        note, branches = wording.plan_progress(plan, start, game, player_id)
        text = "\n".join(filter(None, [note, *(f"- {branch}" for branch in branches)]))
        left = plan.open_branches(game).items()
        labels = {str(plan.branches.index(whole)): wording.branch_label(rest) for whole, rest in left}
        if len(labels) > 1:
            menus = (option_menu(DeleteBranch(match.id, _digest(plan)), labels, _("Delete a branch")),)
        buttons.append(ActionButton(DeletePlan(match.id), _("Delete the plan"), discord.ButtonStyle.danger))
    return compose(
        _("### 📌 Your plan · match #{match}").format(match=match.id),
        text,
        picture=board,
        footer=footer,
        menus=menus,
        buttons=tuple(buttons),
        colour=COLOUR,
    )


def _digest(plan: Plan) -> str:
    return digest(str(plan))
