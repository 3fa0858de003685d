"""The privacy panel of ``/settings``: blocked players, and the player's own data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing, suppress
from typing import Any

from bot.discord import replies
from bot.discord.cards.privacy import data_card, delete_question, privacy_panel
from bot.discord.delivery import NotShownError
from bot.discord.feature import Feature, handles
from bot.discord.interactions import Interaction, player_of
from bot.discord.messages import Press, number, read
from bot.discord.presenter import Presenter
from bot.discord.tournament_presenter import TournamentPresenter
from bot.services.history import History
from bot.services.privacy import LARGEST_FILE, Privacy
from bot.texts import gettext as _


class PrivacyPanel(Feature):
    def __init__(
        self,
        privacy: Privacy,
        history: History,
        presenter: Presenter,
        tournament_presenter: TournamentPresenter,
    ) -> None:
        self._privacy = privacy
        self._history = history
        self._presenter = presenter
        self._tournament_presenter = tournament_presenter

    @handles("privacy")
    async def open_panel(self, interaction: Interaction, _press: Press) -> None:
        await replies.replace(interaction, privacy_panel(await self._privacy.blocked(interaction.user.id)))

    @handles("block")
    async def block(self, interaction: Interaction, press: Press) -> None:
        """Block the chosen players, and nobody else."""
        blocked = await self._privacy.set_blocked(player_of(interaction.user), _chosen_people(interaction, press))
        await replies.replace(interaction, privacy_panel(blocked))

    @handles("get-data")
    async def export_data(self, interaction: Interaction, _press: Press) -> None:
        largest = min(interaction.filesize_limit or LARGEST_FILE, LARGEST_FILE)
        async with aclosing(self._privacy.export(interaction.user.id, largest)) as parts:
            async for part in parts:
                await replies.tell(interaction, data_card(part))

    @handles("delete-data")
    async def ask_to_delete(self, interaction: Interaction, _press: Press) -> None:
        running = await self._history.count_running(interaction.user.id)
        await replies.replace(interaction, delete_question(running))

    @handles("delete-now")
    async def delete(self, interaction: Interaction, _press: Press) -> None:
        deletion = await self._privacy.delete(interaction.user.id)
        await replies.replace(interaction, _("Your data is deleted. If you play again, you start as a new player."))
        shown: list[tuple[Callable[[int], Awaitable[object]], Iterable[int]]] = [
            (self._presenter.show_match, deletion.matches),
            (self._presenter.show_challenge, deletion.challenges),
            (self._presenter.show_proposal, deletion.proposals),
            (self._tournament_presenter.show, deletion.tournaments),
        ]
        for show, ids in shown:
            for identity in ids:
                with suppress(NotShownError):  # it is stored, and will be shown when somebody asks
                    await show(identity)


def _chosen_people(interaction: Interaction, press: Press) -> list[int]:
    """Return the ids of those who were chosen, except bots, which cannot challenge anyway."""
    data: Any = interaction.data
    resolved = data.get("resolved", {}).get("users", {})
    return [read(number, value) for value in press.values if value in resolved and not resolved[value].get("bot")]
