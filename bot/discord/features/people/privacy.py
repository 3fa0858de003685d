"""The privacy panel of ``/settings``: blocked players, and the player's own data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import OpenPrivacy
from bot.discord.ui.messages import ActionButton, Document, Message, compose
from bot.discord.ui.presses import Id, Press, user_input
from bot.domain.doors import Session
from bot.services.history import History
from bot.services.people.doors import Doors
from bot.services.people.privacy import CHALLENGE_RETENTION, LARGEST_FILE, MOST_BLOCKED, ExportFile, Privacy
from bot.texts import gettext as _

#: Maximum number of browsers in the list.
_MOST_LISTED = 10


class Block(Press, action="block"):
    people: tuple[Id, ...] = user_input()


class ForgetBrowsers(Press, action="forget-browsers"):
    pass


class GetData(Press, action="get-data"):
    pass


class AskToDelete(Press, action="delete-data"):
    pass


class DeleteData(Press, action="delete-now"):
    pass


@dataclass
class PrivacyButtons(Feature):
    privacy: Privacy
    history: History
    doors: Doors

    @handles(OpenPrivacy)
    async def open_panel(self, interaction: Interaction, _press: OpenPrivacy) -> None:
        await self._show(interaction, await self.privacy.blocks(interaction.user.id))

    @handles(ForgetBrowsers)
    async def forget_browsers(self, interaction: Interaction, _press: ForgetBrowsers) -> None:
        """End the user's sessions on the pages of matches."""
        await self.doors.end_sessions(interaction.user.id)
        await self._show(interaction, await self.privacy.blocks(interaction.user.id))

    async def _show(self, interaction: Interaction, blocked: list[int]) -> None:
        sessions = await self.doors.sessions(interaction.user.id)
        await Answer.of(interaction).respond(privacy_panel(blocked, sessions))

    @handles(Block)
    async def block(self, interaction: Interaction, press: Block) -> None:
        blocked = await self.privacy.set_blocked(player_of(interaction.user), _people(interaction, press))
        await self._show(interaction, blocked)

    @handles(GetData)
    async def export_data(self, interaction: Interaction, _press: GetData) -> None:
        largest = min(interaction.filesize_limit or LARGEST_FILE, LARGEST_FILE)
        await Answer.of(interaction).follow_up(data_card(await self.privacy.export(interaction.user.id, largest)))

    @handles(AskToDelete)
    async def ask_to_delete(self, interaction: Interaction, _press: AskToDelete) -> None:
        running = await self.history.count_running(interaction.user.id)
        await Answer.of(interaction).respond(delete_question(running))

    @handles(DeleteData)
    async def delete(self, interaction: Interaction, _press: DeleteData) -> None:
        await self.privacy.delete(interaction.user.id)
        await Answer.of(interaction).respond(_("Your data is deleted. If you play again, you start as a new player."))


def _people(interaction: Interaction, press: Block) -> list[int]:
    """The ids of the chosen users, without bots."""
    data: Any = interaction.data
    users = data.get("resolved", {}).get("users", {})
    return [user_id for user_id in press.people if str(user_id) in users and not users[str(user_id)].get("bot")]


def _browsers(sessions: Sequence[Session]) -> str:
    """The player's sessions in browsers and Activities, each with its first and last use."""
    if not sessions:
        return ""
    browser, activity = _("since {begun}, last used {used}"), _("on Discord, since {begun}, last used {used}")
    lines = [
        (activity if session.in_activity else browser).format(
            begun=discord.utils.format_dt(session.begun_at, "d"), used=discord.utils.format_dt(session.used_at, "R")
        )
        for session in sessions[:_MOST_LISTED]
    ]
    return "\n- ".join([_("Browsers that know you on the pages of matches:"), *lines])


def privacy_panel(blocked: list[int], sessions: Sequence[Session] = ()) -> Message:
    """The privacy panel of a player, with the ids of blocked players and the player's sessions."""
    users: discord.ui.UserSelect[Any] = discord.ui.UserSelect(
        custom_id=Block().custom_id,
        placeholder=_("Blocked players: none"),
        min_values=0,
        max_values=MOST_BLOCKED,
        default_values=[discord.Object(user_id) for user_id in blocked[:MOST_BLOCKED]],
    )
    return compose(
        _("### 🔒 Privacy"),
        _(
            "Players you block can no longer challenge you, accept your challenges or propose anything to you, and you "
            "cannot challenge them or accept their challenges. You cannot join the same tournaments either. On a "
            "ladder, a player you have blocked who challenges you gets your place without a match. Running matches go "
            "on."
        ),
        _browsers(sessions),
        footer=_(
            "I store your Discord ID, your names, your challenges, matches, tournaments and ladders, your request to "
            "play anyone, your ratings, your settings and whom you have blocked, but none of your messages. Nicknames "
            "are only shown on their own server. Challenges that nobody accepts are deleted after about {days} days."
        ).format(days=CHALLENGE_RETENTION.days),
        menus=(users,),
        buttons=(
            *([ActionButton(ForgetBrowsers(), _("Forget my browsers"))] if sessions else []),
            ActionButton(GetData(), _("Get my data")),
            ActionButton(AskToDelete(), _("Delete my data"), discord.ButtonStyle.danger),
        ),
    )


def data_card(file: ExportFile | None) -> Message:
    if file is None:
        return compose(
            _(
                "I store too much about you for one file on Discord, even compressed. Nothing is lost: whoever "
                "runs this bot can copy it for you."
            )
        )
    return compose(_("This is everything I store about you."), document=Document(file.filename, file.data))


def delete_question(running: int) -> Message:
    """Ask a player with this number of ``running`` matches whether to delete their data."""
    resigned = _("You resign your running matches, so your opponents win them.") if running else ""
    return compose(
        _("### Delete your data?"),
        _(
            "Your names, settings, blocks, programs and places on leaderboards are deleted, your open challenges are "
            "closed, and you leave your tournaments and ladders. Finished matches stay, because they are your "
            "opponents' matches too, but they show you as “a deleted player”. Players who have blocked you keep that "
            "block. This cannot be undone."
        ),
        resigned,
        _(
            "For an hour afterwards, you cannot send challenges, make proposals, play the computer, join "
            "tournaments or post boards."
        ),
        buttons=(
            ActionButton(DeleteData(), _("Yes, delete everything"), discord.ButtonStyle.danger),
            ActionButton(OpenPrivacy(), _("Keep it")),
        ),
    )
