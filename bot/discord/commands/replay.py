"""``/replay`` and ``/export``: a match viewed turn by turn, shared with everybody, and saved as text."""

from __future__ import annotations

import asyncio

from discord import app_commands

import render
from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards import words
from bot.discord.cards.match import board_picture
from bot.discord.cards.replay import ANIMATION, BOARD, SHEET, replay_card, shared_card, whole_picture
from bot.discord.cards.scenes import private_look, public_look
from bot.discord.delivery import NotShownError
from bot.discord.errors import RefusalError, in_words
from bot.discord.feature import handles
from bot.discord.interactions import Interaction, Typed, match_number, place_of, player_of
from bot.discord.languages import Languages
from bot.discord.match_choices import MatchOptions
from bot.discord.messages import Document, Message, Picture, Press, compose
from bot.discord.messenger import Messenger
from bot.domain.matches import Game
from bot.domain.records import record_of
from bot.services.fair_queue import FairQueue, QueueFullError
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.privacy import Privacy
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop, in_language, ngettext

_WHOLE = (ANIMATION, SHEET)
#: The size of the largest file that Discord takes everywhere.
_LARGEST = 10 * 1024 * 1024


class ReplayCommands(MatchOptions):
    """``drawing`` is the queue in which animations and contact sheets, which take seconds, are drawn one at a time."""

    def __init__(
        self,
        matches: Matches,
        history: History,
        privacy: Privacy,
        settings: Settings,
        languages: Languages,
        access: Access,
        messenger: Messenger,
        drawing: FairQueue,
    ) -> None:
        super().__init__(matches, access)
        self._history = history
        self._privacy = privacy
        self._settings = settings
        self._languages = languages
        self._messenger = messenger
        self._drawing = drawing

    @app_commands.command(description=gettext_noop("Replay a match turn by turn, running or finished"))
    @app_commands.describe(match=gettext_noop("The number of the match, if it is not the one played here"))
    @app_commands.autocomplete(match=MatchOptions.all_matches)
    async def replay(self, interaction: Interaction, match: Typed | None = None) -> None:
        whole = await self._game(interaction, match_number(match))
        await replies.tell(interaction, await self._card(interaction, whole, None, BOARD))

    @app_commands.command(description=gettext_noop("Get a match as a text file that other programs can read"))
    @app_commands.describe(match=gettext_noop("The number of the match, if it is not the one played here"))
    @app_commands.autocomplete(match=MatchOptions.all_matches)
    async def export(self, interaction: Interaction, match: Typed | None = None) -> None:
        game = await self._game(interaction, match_number(match))
        found, count = game.match, len(game.turns)
        text = ngettext(
            "**#{match}** {players}: {count} turn, written as you would type it.",
            "**#{match}** {players}: {count} turns, written as you would type them.",
            count,
        ).format(match=found.id, players=words.versus(found), count=count)
        document = Document(f"{found.ruleset.game.name}-{found.id}.txt", str(record_of(game)).encode())
        await replies.tell(interaction, compose(text, document=document))

    @handles("replay-open")
    async def open(self, interaction: Interaction, press: Press) -> None:
        """Open the match that was chosen from a list, or the one whose card it is."""
        whole = await self._game(interaction, next(iter(press.numbers), press.subject))
        await replies.tell(interaction, await self._card(interaction, whole, None, _kind(press)))

    @handles("replay", "replay-jump")
    async def turn_to(self, interaction: Interaction, press: Press) -> None:
        """Show another position of the match, or the whole of it in one picture."""
        whole = await self._game(interaction, press.subject)
        ply = next(iter(press.numbers), press.step)
        await replies.replace(interaction, await self._card(interaction, whole, ply, _kind(press)))

    @handles("share")
    async def share(self, interaction: Interaction, press: Press) -> None:
        """Show everybody in the channel what the private card shows, or the animation of a match that is over; a second
        press shows nothing more.
        """
        assert interaction.message is not None
        whole, kind = await self._game(interaction, press.subject), _kind(press)
        game = await self._at(whole, press.step if kind == BOARD else None)
        # A match that goes on has another animation later.
        nonce = f"{kind[0]}{interaction.message.id:x}.{press.step:x}.{game.step:x}"
        is_new = not self._messenger.has_shared(nonce) and await self._share(interaction, game, kind, nonce)
        if replies.on_private_card(interaction):
            await replies.replace(interaction, await self._card(interaction, whole, press.step, kind, shared=True))
        elif not is_new:
            await replies.tell(interaction, _("It has been shown here already."))

    async def _share(self, interaction: Interaction, game: Game, kind: str, nonce: str) -> bool:
        """Draw and post what is shared. Returns whether it is new."""
        place, player = place_of(interaction), player_of(interaction.user)
        await self._privacy.count_post(player)
        with in_language(await self._languages.of_server(place.guild_id)):
            look = public_look(await self._settings.server_settings(place.guild_id))
            message = shared_card(game, await self._picture(interaction, game, kind, look), kind, player)
        try:
            return await self._messenger.share(place.channel_id, message, nonce)
        except NotShownError as error:
            raise RefusalError(_("I could not show it: {reason}.").format(reason=in_words(error.reason))) from error

    async def _game(self, interaction: Interaction, number: int | None) -> Game:
        """The match of that number or, without one, the match that was last played here, or the user's only one."""
        return await self._matches.game_of(await self._history.find(self._access.viewer_of(interaction), number))

    async def _at(self, whole: Game, ply: int | None) -> Game:
        """The match after a number of its turns; with its result if these are all."""
        return whole if ply is None or ply >= whole.ply else await self._matches.game_at(whole.match, ply)

    async def _card(
        self, interaction: Interaction, whole: Game, ply: int | None, kind: str, *, shared: bool = False
    ) -> Message:
        """The private card; ``shared`` if everybody was shown what is on it."""
        user = interaction.user
        if not whole.turns:
            kind = BOARD  # all turns were taken back meanwhile
        game = await self._at(whole, ply)
        look = private_look(await self._settings.preferences(user.id), whole, user.id)
        picture = await self._picture(interaction, whole if kind in _WHOLE else game, kind, look)
        over = whole.match.result is not None
        return replay_card(game, whole.turns, picture, kind, over=over, shared=shared)

    async def _picture(self, interaction: Interaction, game: Game, kind: str, look: render.Look) -> Picture:
        if kind == BOARD:
            return await asyncio.to_thread(board_picture, game, look, shared=True)
        try:
            async with self._drawing.place(interaction.user.id):
                picture = await asyncio.to_thread(whole_picture, game, look, kind)
        except QueueFullError:
            raise RefusalError(
                _("I am still drawing what you asked for last. Wait until it is here, then press again.")
            ) from None
        if picture.png is not None and len(picture.png) > _LARGEST:
            raise RefusalError(_("This match is too long for one picture. The buttons still show every turn of it."))
        return picture


def _kind(press: Press) -> str:
    return press.argument if press.argument in _WHOLE else BOARD
