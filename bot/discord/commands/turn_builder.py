"""Turns, however they are put together: chosen step by step on a private card, pressed, or typed."""

from __future__ import annotations

import asyncio

from bot.discord import replies
from bot.discord.cards import words
from bot.discord.cards.scenes import private_look
from bot.discord.cards.turn_builder import (
    area_of,
    asks,
    digest,
    first_step,
    in_parts,
    turn_card,
    turn_form,
    without_last_step,
)
from bot.discord.delivery import NotShownError
from bot.discord.errors import sentence
from bot.discord.interactions import Interaction, player_of
from bot.discord.messages import Form, Press
from bot.discord.quoting import as_markdown
from bot.domain.errors import MatchError, MovedOnError
from bot.domain.matches import Game
from bot.domain.preferences import Confirmation
from bot.texts import gettext as _
from rules import TurnError

_LONGEST_ECHO = 60


async def open_form(interaction: Interaction, press: Press) -> Form:
    """The form in which the turn can be typed, for the player whose turn it is."""
    matches, user = interaction.client.matches, interaction.user
    game = await matches.awaiting_game(press.subject, user.id, press.step)
    return turn_form(game, await matches.draft(press.subject, user.id))


async def open_turn(interaction: Interaction, press: Press) -> None:
    """Shows the turn as far as the player has put it together on this board."""
    matches, user = interaction.client.matches, interaction.user
    game = await matches.awaiting_game(press.subject, user.id, press.step)
    await _show(interaction, game, await matches.draft(game.match.id, user.id))


async def go_on(interaction: Interaction, press: Press) -> None:
    """Does what was pressed or chosen on the private card of a turn."""
    matches, user = interaction.client.matches, interaction.user
    try:
        game = await matches.awaiting_game(press.subject, user.id, press.step)
        text = await matches.draft(game.match.id, user.id)
        if press.action == "cancel":
            await _forget(interaction, game, text)
            return
        known, _dot, area = press.argument.partition(".")
        if known != digest(text):
            note = _("You have gone on elsewhere. This is your turn now:")
            await _show(interaction, game, text, note=note)
            return
        match press.action:
            case "pick":
                await _pick(interaction, game, text, press.values[0])
            case "back" if area:
                await _show(interaction, game, text)
            case "back":
                await _go_back(interaction, game, text)
            case _:
                await _play(interaction, game.match.id, text, game.step)
    except (MatchError, TurnError) as error:
        if await _was_just_played(interaction, press):
            await replies.finish(interaction)
        else:
            await replies.replace(interaction, sentence(error) or "")


async def typed(interaction: Interaction, press: Press) -> None:
    """Plays what was typed into the form; what cannot be played comes back with the reason, and nothing is lost."""
    (text,) = press.values
    try:
        await submit(interaction, press.subject, text, press.step)
    except TurnError as error:
        matches, user = interaction.client.matches, interaction.user
        game = await matches.awaiting_game(press.subject, user.id, press.step)
        echo = text if len(text) <= _LONGEST_ECHO else text[: _LONGEST_ECHO - 1] + "…"
        shown = as_markdown(echo)
        note = _("“{typed}” cannot be played: {reason}").format(typed=shown, reason=sentence(error))
        await _show(interaction, game, await matches.draft(game.match.id, user.id), note=note)


async def submit(interaction: Interaction, match_id: int, text: str, seen_step: int | None = None) -> None:
    """Plays a turn, or shows it first: when it can not end there, or when the player wants to be asked."""
    matches, user = interaction.client.matches, interaction.user
    game = await matches.awaiting_game(match_id, user.id, seen_step)
    draft = await asyncio.to_thread(game.position.draft, text)
    if draft.complete:
        wish = (await interaction.client.preferences.preferences(user.id)).confirmation
        if not await asyncio.to_thread(asks, wish, game, draft):
            await _play(interaction, match_id, draft.text, game.step)
            return
    before = await matches.draft(match_id, user.id)
    draft = await matches.save_draft(match_id, user.id, draft.text, seen_step=game.step, before=before)
    note = _("This turn is not complete yet.") if not draft.complete else _("Do you mean this?")
    await _show(interaction, game, draft.text, note=note)


async def _pick(interaction: Interaction, game: Game, text: str, chosen: str) -> None:
    matches, user = interaction.client.matches, interaction.user
    if chosen.startswith("area."):
        await _show(interaction, game, text, area=int(chosen.removeprefix("area.")))
        return
    longer = await asyncio.to_thread(_without_alternative, game, text + chosen)
    try:
        draft = await matches.save_draft(game.match.id, user.id, longer, seen_step=game.step, before=text)
    except MovedOnError:
        await _show(interaction, game, await matches.draft(game.match.id, user.id))  # chosen twice at once
        return
    wish = (await interaction.client.preferences.preferences(user.id)).confirmation
    if wish is Confirmation.NEVER and draft.complete and not draft.steps:
        await _play(interaction, game.match.id, draft.text, game.step)
    else:
        await _show(interaction, game, draft.text)


def _without_alternative(game: Game, text: str) -> str:
    """The turn with the steps that have to follow, for there is no other one."""
    draft = game.position.draft(text)
    while not draft.complete and len(draft.steps) == 1:
        draft = game.position.draft(draft.text + draft.steps[0])
    return draft.text


async def _go_back(interaction: Interaction, game: Game, text: str) -> None:
    """Goes back to the last step that could have been another one, and shows what could be chosen instead."""

    def chosen_before() -> tuple[str, bool]:
        fewer = without_last_step(text)
        while _without_alternative(game, fewer) == text:
            fewer = without_last_step(fewer)
        return fewer, in_parts(game, game.position.draft(fewer))

    fewer, many = await asyncio.to_thread(chosen_before)
    await interaction.client.matches.save_draft(
        game.match.id, interaction.user.id, fewer, seen_step=game.step, before=text
    )
    step = text[len(fewer) :]
    await _show(interaction, game, fewer, area=area_of(game, first_step(step)) if many else None)


async def _forget(interaction: Interaction, game: Game, text: str) -> None:
    if text:
        await interaction.client.matches.save_draft(
            game.match.id, interaction.user.id, "", seen_step=game.step, before=text
        )
    await replies.finish(interaction)


async def _show(interaction: Interaction, game: Game, text: str, *, area: int | None = None, note: str = "") -> None:
    """Shows the turn on the private card, which replaces the one where something was pressed."""
    user = interaction.user
    look = private_look(await interaction.client.preferences.preferences(user.id), game, user.id)
    post = await asyncio.to_thread(lambda: turn_card(game, game.position.draft(text), look, area=area, note=note))
    await (replies.replace if _on_private_card(interaction) else replies.tell)(interaction, post)


async def _play(interaction: Interaction, match_id: int, turn: str, seen_step: int) -> None:
    """Stores the turn and shows the board; then the private card, or the command's answer, has served."""
    client = interaction.client
    game = await client.matches.play(
        match_id, interaction.user.id, turn, seen_step=seen_step, seen=player_of(interaction.user)
    )
    try:
        shown = await client.presenter.show_match(match_id)
    except NotShownError:
        if _on_private_card(interaction):
            await replies.finish(interaction)
        raise
    if interaction.message is not None and not _on_private_card(interaction):
        return
    if shown.channel_id in (None, interaction.channel_id):
        await replies.finish(interaction)
        return
    played = _("Played **{turn}** in match #{match}: {channel}").format(
        turn=game.turns[-1], match=match_id, channel=words.channel(shown.channel_id)
    )
    await (replies.tell if interaction.message is None else replies.replace)(interaction, played)


async def _was_just_played(interaction: Interaction, press: Press) -> bool:
    """Whether the board moved on by this very turn: somebody who presses twice wants nothing else."""
    game = await interaction.client.matches.game(press.subject)
    if press.action != "confirm" or game.step != press.step + 1 or not game.turns:
        return False
    return digest(game.turns[-1]) == press.argument


def _on_private_card(interaction: Interaction) -> bool:
    return interaction.message is not None and interaction.message.flags.ephemeral
