"""``/play``: the lobby, with buttons to everything else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from discord import app_commands

import rules
from bot.discord.features.strangers.anyone import meeting_buttons
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import (
    SHARED,
    ChooseTasks,
    OpenLobby,
    OpenTask,
    ReadPage,
    anyone_button,
    challenges_button,
    choices,
    games_button,
    puzzles_button,
    starting_buttons,
)
from bot.discord.ui.messages import ActionButton, Message
from bot.discord.ui.presses import Press
from bot.discord.ui.scenes import game_button, game_choice, game_list
from bot.domain.competitions.strangers import Lobby
from bot.pictures import private_look
from bot.services.challenges import Challenges
from bot.services.strangers.requests import StandingRequests
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.wording import strangers


class ChooseRules(Press, action="lobby-rules"):
    pass


@dataclass
class PlayCommand(Feature):
    challenges: Challenges
    standing_requests: StandingRequests
    access: Access
    languages: Languages

    @app_commands.command(
        description=gettext_noop("All games at a glance: start a match, learn a game, see your matches")
    )
    async def play(self, interaction: Interaction) -> None:
        await self.show_lobby(interaction, OpenLobby())

    @handles(OpenLobby)
    async def show_lobby(self, interaction: Interaction, _press: OpenLobby) -> None:
        theme = private_look(await self.languages.load(interaction)).theme
        challenges = await self.challenges.open_to(await self.access.viewer_of_lists(interaction))
        lobby = await self.standing_requests.lobby(interaction.user.id)
        await Answer.of(interaction).respond(await asyncio.to_thread(lobby_card, theme, lobby, len(challenges)))

    @handles(ChooseTasks, ChooseRules)
    async def choose_game(self, interaction: Interaction, press: Press) -> None:
        """Ask which game to learn, or which rules to read."""
        if isinstance(press, ChooseTasks):
            question = _("### 🎓 Which game do you want to learn?")
            buttons = [game_button(OpenTask(game, in_place=True), game) for game in rules.GAMES.values()]
        else:
            question = _("### 📖 Which rules do you want to read?")
            buttons = [game_button(ReadPage(name), game) for name, game in rules.GAMES.items()]
            buttons.append(ActionButton(ReadPage(SHARED), choices()[SHARED]))
        await Answer.of(interaction).respond(game_choice(question, buttons))


def lobby_card(theme: str, lobby: Lobby | None = None, challenges: int = 0) -> Message:
    """All games, with the buttons that a new player needs first. Renders pictures: call it in a thread.

    ``lobby`` has the people who wait for anyone (None: on a card for everybody). ``challenges`` is the number of
    challenges that the viewer can accept.
    """
    count = len(rules.GAMES)
    about = ngettext(
        "{count} game for two on hexagons. You play it with buttons.",
        "{count} games for two on hexagons. You play them with buttons.",
        count,
    )
    rules_button = ActionButton(ChooseRules(), _("Rules"), emoji="📖")
    starting, looking = (*starting_buttons(), anyone_button()), (puzzles_button(), games_button(), rules_button)
    meeting = () if lobby is None else meeting_buttons(lobby)
    waiting = "" if lobby is None else strangers.waiting(lobby)
    buttons = (*starting, *meeting, *looking, *challenges_button(challenges))
    text = "\n".join(filter(None, ["### ⬢ Hexgrove", about.format(count=count), waiting]))
    return game_list(text, theme, buttons)
