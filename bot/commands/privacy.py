"""Privacy in ``/settings``, and the results that moderators void."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from bot import replies
from bot.cards.post import Press
from bot.cards.privacy import data_card, delete_question, privacy_panel, void_result_question
from bot.commands.context import Interaction, place_of, player_of
from bot.commands.courtesies import may_moderate
from bot.delivery import NotShownError
from bot.errors import RefusalError
from bot.matches.errors import UnknownMatchError
from bot.matches.model import Match, Player
from bot.texts import gettext as _


async def use_privacy(interaction: Interaction, press: Press) -> None:
    """The panel's menu and buttons."""
    client, user = interaction.client, player_of(interaction.user)
    match press.action:
        case "privacy":
            await replies.replace(interaction, privacy_panel(await client.fair_play.blocked(user.id)))
        case "block":
            blocked = await client.fair_play.set_blocked(user, _chosen_people(interaction, press))
            await replies.replace(interaction, privacy_panel(blocked))
        case "get-data":
            await replies.tell(interaction, data_card(await client.fair_play.export(user.id)))
        case "delete-data":
            running = await client.history.running(player_id=user.id)
            await replies.replace(interaction, delete_question(len(running)))
        case _:
            left = await client.tournaments.withdraw_everywhere(user.id)
            ended = await client.matches.forget(user.id)
            done = _("Everything is deleted. If you play again one day, you begin as somebody new.")
            await replies.replace(interaction, done)
            for match_id in ended:
                await _show(interaction, match_id)
            for tournament_id in left:
                await client.desk.show(tournament_id)


def _chosen_people(interaction: Interaction, press: Press) -> list[Player]:
    """Who was chosen, with the names that Discord tells; bots cannot challenge anyway."""
    data: Any = interaction.data
    resolved = data.get("resolved", {}).get("users", {})
    found = [resolved[value] for value in press.values if value in resolved]
    return [
        Player(int(each["id"]), each.get("global_name") or each["username"]) for each in found if not each.get("bot")
    ]


async def void_result(interaction: Interaction, press: Press) -> None:
    """A moderator takes a finished match out of the count."""
    client = interaction.client
    match = await client.matches.match(press.subject)
    check_may_void(interaction, match)
    if press.action == "ask-void-result":
        await replies.tell(interaction, void_result_question(match.id))
        return
    if press.action == "keep-result":
        await replies.replace(interaction, _("Good. The result stays."))
        return
    await client.matches.void(match.id, player_of(interaction.user))
    await replies.replace(interaction, _("The result of match #{match} is void.").format(match=match.id))


def may_void(interaction: Interaction, match: Match) -> bool:
    """Whether the user may void the result: a moderator there, who did not play."""
    return (
        match.result is not None
        and match.home.guild_id == interaction.guild_id
        and may_moderate(interaction)
        and not match.has_player(interaction.user.id)
    )


def check_may_void(interaction: Interaction, match: Match) -> None:
    if not match.home.shares(place_of(interaction)):
        raise UnknownMatchError
    if not may_void(interaction, match):
        raise RefusalError(
            _("Only moderators who did not play in match #{match} can void its result, once it is over.").format(
                match=match.id
            )
        )


async def _show(interaction: Interaction, match_id: int) -> None:
    """Shows what became of a match, where that is possible."""
    with suppress(NotShownError):  # it is stored, and shown when somebody asks for the board
        await interaction.client.presenter.show_match(match_id)
