"""``/replay``: a match turn by turn, shared in the channel, or as a text file."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from discord import app_commands

import render
from bot.discord.interaction.errors import RefusalError, in_words
from bot.discord.interaction.feature import handles
from bot.discord.interaction.interactions import Interaction, place_of, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.match import AnyMatch, MatchFeature
from bot.discord.posting.cards.match import board_picture, heading
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.answers import Answer, on_private_card
from bot.discord.transport.sender import NotShownError
from bot.discord.ui.actions import (
    AskToDeleteImport,
    ChooseReplay,
    Download,
    DownloadAll,
    OpenReplay,
    Origin,
    Share,
    TryTurns,
    View,
    continue_button,
    note_button,
    page_button,
    review_button,
)
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import (
    LONGEST_DESCRIPTION,
    ActionButton,
    Document,
    Menu,
    Message,
    Picture,
    compose,
    option_menu,
)
from bot.domain.challenges import can_continue
from bot.domain.matches import Game
from bot.domain.players import Player
from bot.domain.study.imports import record_of
from bot.domain.study.reviews import can_review
from bot.pictures import conclusion_of, header_of, private_look, public_look
from bot.runtime.at_once import AtOnce
from bot.runtime.fair_queue import FairQueue
from bot.services.history import History
from bot.services.people.doors import Doors
from bot.services.people.privacy import LARGEST_FILE, Privacy
from bot.services.people.settings import Settings
from bot.texts import gettext as _, gettext_noop, in_language, ngettext
from bot.wording import words
from render import replay

#: Maximum number of matches in a file of records.
_MOST_RECORDS = 200
#: Maximum number of animations and files for which a person may wait.
_MOST_WAITING = 3
#: Minimum number of turns of a match with a menu of turns, and the maximum number of turns in the menu.
_FEWEST_TO_JUMP, _MOST_JUMPS = 4, 25


@dataclass
class ReplayCommands(MatchFeature):
    """Replays and records. ``drawing`` is the queue for animations and contact sheets, which take seconds to draw."""

    history: History
    privacy: Privacy
    settings: Settings
    languages: Languages
    messenger: Messenger
    doors: Doors
    drawing: FairQueue
    command_mentions: CommandMentions

    def __post_init__(self) -> None:
        self._waiting = AtOnce(_MOST_WAITING, math.inf, _still_drawing)

    @app_commands.command(description=gettext_noop("Replay a match turn by turn, running or finished"))
    @app_commands.describe(match=gettext_noop("The number of the match, unless it is the one here"))
    async def replay(self, interaction: Interaction, match: AnyMatch | None = None) -> None:
        await Answer.of(interaction).respond(await self._whole_card(interaction, match))

    @handles(Download)
    async def download(self, interaction: Interaction, press: Download) -> None:
        game = await self._game(interaction, press.match_id)
        found, count = game.match, len(game.turns)
        text = ngettext(
            "**#{match}** {players}: {count} turn, written as you would type it.",
            "**#{match}** {players}: {count} turns, written as you would type them.",
            count,
        ).format(match=found.id, players=words.versus(*game.players), count=count)
        document = Document(f"{found.ruleset.game.name}-{found.id}.txt", str(record_of(game)).encode())
        await Answer.of(interaction).follow_up(compose(text, document=document))

    @handles(DownloadAll)
    async def download_all(self, interaction: Interaction, _press: DownloadAll) -> None:
        user_id, place = interaction.user.id, place_of(interaction)
        with self._waiting.room(user_id):
            async with self.drawing.slot(user_id):
                games = await self.history.games(user_id, _MOST_RECORDS, seen_from=place)
        if not games:
            raise RefusalError(_("None of your matches is over yet."))
        text = ngettext(
            "Your finished match as a text file.", "Your last {count} finished matches, one after another.", len(games)
        ).format(count=len(games))
        records = await asyncio.to_thread(lambda: "\n".join(str(record_of(game)) for game in games).encode())
        document = Document("hexgrove-matches.txt", records)
        await Answer.of(interaction).follow_up(compose(text, document=document))

    @handles(ChooseReplay)
    async def open(self, interaction: Interaction, press: ChooseReplay) -> None:
        await Answer.of(interaction).follow_up(await self._whole_card(interaction, press.match_id))

    @handles(OpenReplay)
    async def turn_to(self, interaction: Interaction, press: OpenReplay) -> None:
        """Show another position of the match, or the whole match in a picture."""
        whole = await self._game(interaction, press.match_id)
        await Answer.of(interaction).respond(await self._card(interaction, whole, press.ply, press.view))

    @handles(Share)
    async def share(self, interaction: Interaction, press: Share) -> None:
        """Post the private card's picture, or the animation of a finished match, in the channel once."""
        assert interaction.message is not None
        whole, view = await self._game(interaction, press.match_id), press.view
        game = await self._at(whole, press.ply if view is View.BOARD else None)
        # The animation of a running match grows.
        nonce = f"{view[0]}{interaction.message.id:x}.{press.ply:x}.{game.step:x}"
        is_new = not self.messenger.has_shared(nonce) and await self._share(interaction, game, view, nonce)
        if on_private_card(interaction):
            await Answer.of(interaction).respond(await self._card(interaction, whole, press.ply, view, shared=True))
        elif not is_new:
            await Answer.of(interaction).follow_up(_("It has already been shared here."))

    async def _share(self, interaction: Interaction, game: Game, view: View, nonce: str) -> bool:
        """Draw and post a picture, and return whether it is new."""

        async def card(look: render.Look) -> Message:
            picture = await self._picture(interaction, game, view, look)
            return shared_card(game, picture, view, player_of(interaction.user), self.command_mentions)

        return await self.post(interaction, card, nonce)

    async def post(
        self, interaction: Interaction, card: Callable[[render.Look], Awaitable[Message]], nonce: str
    ) -> bool:
        """Post a card in the channel's language and look, and return whether it is new."""
        place = place_of(interaction)
        await self.privacy.count_post(player_of(interaction.user))
        with in_language(await self.languages.of_server(place.guild_id)):
            message = await card(public_look(await self.settings.server_settings(place.guild_id)))
        try:
            return await self.messenger.share(place.channel_id, message, nonce)
        except NotShownError as error:
            why = in_words(error.reason, self.command_mentions)
            raise RefusalError(_("I could not show it: {reason}.").format(reason=why)) from error

    async def _whole_card(self, interaction: Interaction, number: int | None) -> Message:
        return await self._card(interaction, await self._game(interaction, number), None, View.BOARD)

    async def _game(self, interaction: Interaction, number: int | None) -> Game:
        """The match with a number, by default the match last played here or the user's only match."""
        return await self.matches.game_of(await self.history.find(self.access.viewer_of(interaction), number))

    async def _at(self, whole: Game, ply: int | None) -> Game:
        """The match after ``ply`` turns, by default after all of them with its result."""
        return whole if ply is None or ply >= whole.ply else await self.matches.game_at(whole.match, ply)

    async def _card(
        self, interaction: Interaction, whole: Game, ply: int | None, view: View, *, shared: bool = False
    ) -> Message:
        """The private card; ``shared`` if its picture has been posted."""
        if not whole.turns:
            view = View.BOARD  # all turns were taken back
        game = await self._at(whole, ply)
        look = private_look(await self.languages.load(interaction), whole, interaction.user.id)
        picture = await self._picture(interaction, whole if view is not View.BOARD else game, view, look)
        over, own = whole.match.result is not None, whole.match.belongs_to(interaction.user.id)
        pages = self.doors.url is not None
        return replay_card(game, whole.turns, picture, view, over=over, own=own, shared=shared, pages=pages)

    async def _picture(self, interaction: Interaction, game: Game, view: View, look: render.Look) -> Picture:
        if view is View.BOARD:
            return await asyncio.to_thread(board_picture, game, look, shared=True)
        with self._waiting.room(interaction.user.id):
            async with self.drawing.slot(interaction.user.id):
                picture = await asyncio.to_thread(whole_picture, game, look, view)
        if picture.png is not None and len(picture.png) > LARGEST_FILE:
            raise RefusalError(_("This match is too long for one picture. The buttons still show every turn of it."))
        return picture


def _still_drawing() -> RefusalError:
    return RefusalError(_("I am still drawing what you asked for last. Wait until it is here, then press again."))


def whole_picture(game: Game, look: render.Look, view: View) -> Picture:
    """The animation or contact sheet of a whole match. This takes seconds: call it in a thread."""
    match, decided = game.match, conclusion_of(game)
    arguments = (render.face(match.ruleset.game), list(replay.shots(match.ruleset, game.turns)), decided, look)
    header = header_of(game, shared=True)
    if view is View.ANIMATION:
        data, ending = replay.animation(*arguments, header=header), "gif"
        described = _("All {count} turns of the match, one after the other.")
    else:
        data, ending = replay.contact_sheet(*arguments, header), "png"
        described = _("Key positions of the match ({count} turns).")
    end = render.describe(game.position, game.events, decided, look, header)
    return Picture(
        f"{match.ruleset.game.name}-{match.id}-{game.ply}-{view}.{ending}",
        data,
        f"{described.format(count=game.ply)} {end}"[:LONGEST_DESCRIPTION],
    )


def replay_card(
    game: Game,
    turns: Sequence[str],
    picture: Picture,
    view: View,
    *,
    over: bool,
    own: bool = False,
    shared: bool = False,
    pages: bool = False,
) -> Message:
    """The match after some of its ``turns``, with buttons to the others; ``shared`` if the picture has been posted.

    Viewers can write notes on their ``own`` matches. The card of an imported record also has a button to delete it and,
    with ``pages``, a button to its page, because it has no other card.
    """
    match, ply, last = game.match, game.ply, len(turns)
    on_board = view is View.BOARD

    def to(target: int, label: str, key: str) -> ActionButton:
        inside = 0 <= target <= last and target != ply
        press = OpenReplay(match.id, target if inside else ply, key=key)
        return ActionButton(press, label, disabled=not inside)

    def whole(other: View, label: str) -> ActionButton:
        if view is other:
            return ActionButton(OpenReplay(match.id, ply), _("Back to the board"))
        return ActionButton(OpenReplay(match.id, ply, other), label, disabled=not last)

    walk = [to(0, "⏮", "first"), to(ply - 1, "◀", "back"), to(ply + 1, "▶", "next"), to(last, "⏭", "last")]
    if over and ply and can_continue(game.position):
        walk.append(continue_button(Origin.MATCH, match.id, ply))
    label = _("Shared") if shared else _("Share the game") if view is View.ANIMATION else _("Share")
    share = ActionButton(Share(match.id, ply, view), label, disabled=shared, emoji="📣")
    more = [whole(View.ANIMATION, _("Animated")), whole(View.SHEET, _("Key positions")), share]
    if on_board:
        more.append(ActionButton(TryTurns(match.id, ply), _("Try from here"), emoji="🧪"))
    if over and can_review(match.ruleset, last):
        more.append(review_button(match))
    if own:
        more.append(note_button(match))
    more.append(ActionButton(Download(match.id), _("Download"), emoji="💾"))
    if match.imported is not None:
        more += [page_button(match)] if pages else []
        more.append(ActionButton(AskToDeleteImport(match.id), _("Delete"), emoji="🗑️"))
    footer = [f"#{match.id}", words.terms(match.ruleset)]
    if on_board:
        footer.insert(0, _("Turn {ply} of {last}").format(ply=ply, last=last))
    return compose(
        heading(game, "🎞️"),
        _last_turn_and_result(game, view) if on_board else "",
        picture=picture,
        footer=" · ".join(footer),
        menus=_jumps(match.id, turns, ply) if on_board else (),
        buttons=tuple(walk) if on_board else (),
        more_buttons=tuple(more),
    )


def shared_card(game: Game, picture: Picture, view: View, by: Player, command_mentions: CommandMentions) -> Message:
    footer = shown_by(game, by, command_mentions)
    here = ActionButton(TryTurns(game.match.id, game.ply), _("Try from here"), emoji="🧪")
    return compose(
        heading(game, "🎞️"),
        _last_turn_and_result(game, view),
        picture=picture,
        footer=footer,
        # Others cannot open an imported record.
        buttons=(here,) if view is View.BOARD and game.match.imported is None else (),
    )


def shown_by(game: Game, by: Player, command_mentions: CommandMentions) -> str:
    if game.match.imported is not None:
        return _("An imported record, shown by {player}").format(player=words.name(by))
    return _("Match #{match}, shown by {player} · {replay}").format(
        match=game.match.id, player=words.name(by), replay=command_mentions.of("replay")
    )


def _last_turn_and_result(game: Game, view: View) -> str:
    ended = f"🏆 {words.result(game)}" if game.match.result is not None else ""
    turn = words.last_turn(game) or _("Before the first turn.") if view is View.BOARD else ""
    return "\n".join(filter(None, [turn, ended]))


def _jumps(match_id: int, turns: Sequence[str], ply: int) -> tuple[Menu, ...]:
    """A menu of evenly spaced turns, including the last; none for a very short match."""
    last = len(turns)
    if last < _FEWEST_TO_JUMP:
        return ()
    targets = sorted({round((at + 1) * last / _MOST_JUMPS) for at in range(_MOST_JUMPS)} - {0})
    labels = {str(to): _("Turn {ply}: {turn}").format(ply=to, turn=turns[to - 1]) for to in targets}
    return (option_menu(OpenReplay(match_id), labels, _("Jump to a turn"), str(ply)),)
