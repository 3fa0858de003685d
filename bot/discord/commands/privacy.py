"""Privacy in ``/settings``, and the results that moderators void."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing, suppress
from typing import Any

from bot.discord import replies
from bot.discord.access import check_overrule, viewer_of
from bot.discord.cards.privacy import data_card, delete_question, privacy_panel, void_result_question
from bot.discord.delivery import NotShownError
from bot.discord.errors import RefusalError
from bot.discord.interactions import Interaction, player_of
from bot.discord.messages import Press
from bot.domain.errors import UnknownMatchError
from bot.domain.matches import Match
from bot.domain.players import Player
from bot.services.privacy import LARGEST_FILE
from bot.texts import gettext as _


async def use_privacy(interaction: Interaction, press: Press) -> None:
    """The panel's menu and buttons."""
    client, user = interaction.client, player_of(interaction.user)
    match press.action:
        case "privacy":
            await replies.replace(interaction, privacy_panel(await client.privacy.blocked(user.id)))
        case "block":
            blocked = await client.privacy.set_blocked(user, _chosen_people(interaction, press))
            await replies.replace(interaction, privacy_panel(blocked))
        case "get-data":
            largest = min(interaction.filesize_limit or LARGEST_FILE, LARGEST_FILE)
            async with aclosing(client.privacy.export(user.id, largest)) as parts:
                async for part in parts:
                    await replies.tell(interaction, data_card(part))
        case "delete-data":
            running = await client.history.running(player_id=user.id)
            await replies.replace(interaction, delete_question(len(running)))
        case _:
            await _forget(interaction, user)


async def _forget(interaction: Interaction, user: Player) -> None:
    client = interaction.client
    left = await client.tournaments.withdraw_everywhere(user.id)
    gone = await client.matches.forget(user.id)
    await replies.replace(
        interaction, _("Everything is deleted. If you play again one day, you begin as somebody new.")
    )
    shown: list[tuple[Callable[[int], Awaitable[object]], Iterable[int]]] = [
        (client.presenter.show_match, gone.matches),
        (client.presenter.show_challenge, gone.challenges),
        (client.presenter.show_proposal, gone.proposals),
        (client.tournament_presenter.show, left),
    ]
    for show, ids in shown:
        for identity in ids:
            with suppress(NotShownError):  # it is stored, and shown when somebody asks for it
                await show(identity)


def _chosen_people(interaction: Interaction, press: Press) -> list[int]:
    """The ids of those who were chosen; bots cannot challenge anyway."""
    data: Any = interaction.data
    resolved = data.get("resolved", {}).get("users", {})
    return [int(value) for value in press.values if value in resolved and not resolved[value].get("bot")]


async def void_result(interaction: Interaction, press: Press) -> None:
    """A moderator takes a finished match out of the count."""
    client = interaction.client
    match = await client.matches.match(press.subject)
    await _check_may_void(interaction, match)
    if press.action == "ask-void-result":
        await replies.tell(interaction, void_result_question(match.id))
        return
    if press.action == "keep-result":
        await replies.replace(interaction, _("Good. The result stays."))
        return
    await client.matches.void(match.id, player_of(interaction.user))
    await replies.replace(interaction, _("The result of match #{match} is void.").format(match=match.id))


async def _check_may_void(interaction: Interaction, match: Match) -> None:
    if not await viewer_of(interaction).sees(match.home):
        raise UnknownMatchError
    refusal = RefusalError(
        _("Only moderators who did not play in match #{match} can void its result, once it is over.").format(
            match=match.id
        )
    )
    if match.result is None:
        raise refusal
    await check_overrule(interaction, match, refusal)
