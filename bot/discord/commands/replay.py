"""``/replay`` and ``/export``: a match looked through turn by turn, shown to everybody, and taken home as text."""

from __future__ import annotations

import asyncio

from discord import app_commands

import render
from bot.discord import replies
from bot.discord.access import viewer_of
from bot.discord.cards import words
from bot.discord.cards.match import board_picture
from bot.discord.cards.replay import BOARD, FILM, SHEET, replay_card, shared_card, whole_picture
from bot.discord.cards.scenes import private_look, public_look
from bot.discord.delivery import NotShownError
from bot.discord.errors import RefusalError, in_words
from bot.discord.interactions import Interaction, Typed, match_number, place_of, player_of
from bot.discord.match_choices import any_match
from bot.discord.messages import Document, Message, Picture, Press, compose
from bot.domain.matches import Game, Match
from bot.services.fair_queue import QueueFullError
from bot.texts import gettext as _
from bot.texts import gettext_noop, in_language, ngettext

_WHOLE = (FILM, SHEET)
#: Discord takes files of this many bytes everywhere.
_LARGEST = 10 * 1024 * 1024


async def match_to_look_at(interaction: Interaction, typed: str | None) -> Match:
    """The match that is named, or else the one that was last played here, or the only one of the user."""
    viewer, number = viewer_of(interaction), match_number(typed)
    if number is not None:
        return await interaction.client.history.look_up(viewer, number)
    return await interaction.client.matches.find_board(viewer)


@app_commands.command(description=gettext_noop("Look through a match turn by turn, running or finished"))
@app_commands.describe(match=gettext_noop("The number of the match, if it is not the one played here"))
@app_commands.autocomplete(match=any_match)
async def replay(interaction: Interaction, match: Typed | None = None) -> None:
    found = await match_to_look_at(interaction, match)
    await replies.tell(interaction, await _card(interaction, found, None, BOARD))


@app_commands.command(description=gettext_noop("Get a match as a text file that other programs can read"))
@app_commands.describe(match=gettext_noop("The number of the match, if it is not the one played here"))
@app_commands.autocomplete(match=any_match)
async def export(interaction: Interaction, match: Typed | None = None) -> None:
    found = await match_to_look_at(interaction, match)
    record = await interaction.client.history.record(found.id, place_of(interaction))
    name = f"{found.ruleset.game.name}-{found.id}.txt"
    count = len(record.turns)
    said = ngettext(
        "**#{match}** {players}: {count} turn. Each stands in the file as you would type it.",
        "**#{match}** {players}: {count} turns. They stand in the file as you would type them.",
        count,
    ).format(match=found.id, players=words.versus(found), count=count)
    await replies.tell(interaction, compose(said, document=Document(name, str(record).encode())))


async def open_replay(interaction: Interaction, press: Press) -> None:
    """A match was chosen from a list."""
    (number,) = press.values
    found = await interaction.client.history.look_up(viewer_of(interaction), int(number))
    await replies.tell(interaction, await _card(interaction, found, None, BOARD))


async def turn_replay(interaction: Interaction, press: Press) -> None:
    """Another position of the match, or the whole of it in one picture."""
    found = await interaction.client.history.look_up(viewer_of(interaction), press.subject)
    ply = int(press.values[0]) if press.values else press.step
    kind = press.argument if press.argument in _WHOLE else BOARD
    await replies.replace(interaction, await _card(interaction, found, ply, kind))


async def share(interaction: Interaction, press: Press) -> None:
    """Shows everybody in the channel what the private card shows; a second press shows nothing more."""
    client, place = interaction.client, place_of(interaction)
    found = await client.history.look_up(viewer_of(interaction), press.subject)
    await client.privacy.count_post(player_of(interaction.user))
    kind = press.argument if press.argument in _WHOLE else BOARD
    game = await _game_at(interaction, found, press.step if kind == BOARD else None)
    with in_language(await client.languages.of_server(place.guild_id)):
        look = render.DEFAULT_LOOK
        if place.guild_id is not None:
            look = public_look(await client.settings.server_settings(place.guild_id))
        picture = await _picture(interaction, game, kind, look)
        post = shared_card(game, picture, kind, player_of(interaction.user))
    assert interaction.message is not None
    try:
        # A match that goes on makes another film.
        nonce = f"{kind[0]}{interaction.message.id:x}.{press.step:x}.{game.step:x}"
        await client.presenter.share(place.channel_id, post, nonce)
    except NotShownError as error:
        raise RefusalError(_("I could not show it: {reason}.").format(reason=in_words(error.reason))) from error
    await replies.replace(interaction, await _card(interaction, found, press.step, kind, shared=True))


async def _card(interaction: Interaction, match: Match, ply: int | None, kind: str, *, shared: bool = False) -> Message:
    """The private card; what was just ``shared`` is in the message already and is not drawn again."""
    client, user = interaction.client, interaction.user
    whole = await client.history.game(match.id, place_of(interaction))
    game = await _game_at(interaction, match, ply)
    if kind in _WHOLE and not whole.turns:
        kind = BOARD  # they were all taken back meanwhile
    look = private_look(await client.settings.preferences(user.id), whole, user.id)
    picture = await _picture(interaction, whole if kind in _WHOLE else game, kind, look)
    return replay_card(game, whole.turns, picture, kind, shared=shared)


async def _game_at(interaction: Interaction, match: Match, ply: int | None) -> Game:
    """The match after so many turns; with its result when these are all."""
    client = interaction.client
    whole = await client.history.game(match.id, place_of(interaction))
    return whole if ply is None or ply >= whole.ply else await client.matches.game_at(whole.match, ply)


async def _picture(interaction: Interaction, game: Game, kind: str, look: render.Look) -> Picture:
    if kind == BOARD:
        return await asyncio.to_thread(board_picture, game, look)
    try:
        async with interaction.client.filming.place(interaction.user.id):
            picture = await asyncio.to_thread(whole_picture, game, look, kind)
    except QueueFullError:
        raise RefusalError(
            _("I am still drawing what you have asked for before. Wait until that is here, then press again.")
        ) from None
    if picture.png is not None and len(picture.png) > _LARGEST:
        raise RefusalError(_("This match is too long for one picture. The buttons still show every turn of it."))
    return picture
