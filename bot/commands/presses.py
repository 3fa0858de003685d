"""What buttons, menus and forms do."""

from __future__ import annotations

from bot import replies
from bot.cards import words
from bot.cards.match import resign_question
from bot.cards.post import Form, Press
from bot.commands.clock import use_clock
from bot.commands.context import Interaction, player_of
from bot.errors import RefusalError
from bot.matches.errors import ChallengeClosedError, MatchOverError, MovedOnError
from bot.matches.model import Card
from bot.texts import gettext as _


async def form_for(interaction: Interaction, press: Press | None) -> Form | None:
    """The form that a press opens, if it opens one. Nothing is acknowledged yet, so this has to be quick.

    What it raises is told to the user in place of the form.
    """
    return None


async def handle_press(interaction: Interaction, press: Press | None) -> None:
    """Does what a pressed button stands for; the interaction is acknowledged already."""
    match press:
        case Press("accept" | "decline" | "withdraw"):
            await _answer_challenge(interaction, press)
        case Press("turn" | "resign"):
            await _use_board(interaction, press)
        case Press("resign-now"):
            await _resign(interaction, press)
        case Press("keep-playing"):
            await replies.replace(interaction, _("Good. The match goes on."))
        case Press("time" | "claim" | "give-time"):
            await use_clock(interaction, press)
        case _:
            older = _("This button is of an older time. {board} shows the board anew.")
            raise RefusalError(older.format(board=words.command("board")))


async def _answer_challenge(interaction: Interaction, press: Press) -> None:
    matches, presenter, user = interaction.client.matches, interaction.client.presenter, interaction.user
    try:
        if press.action == "accept":
            accepted = await matches.accept(press.subject, player_of(user))
            await presenter.show_accepted(accepted)
        elif press.action == "decline":
            await matches.decline(press.subject, user.id)
        else:
            await matches.withdraw(press.subject, user.id)
    except ChallengeClosedError:
        await presenter.show_challenge(press.subject)
        raise
    await presenter.show_challenge(press.subject)


async def _use_board(interaction: Interaction, press: Press) -> None:
    matches, presenter, user = interaction.client.matches, interaction.client.presenter, interaction.user
    try:
        if press.action == "turn":
            await matches.play(press.subject, user.id, press.argument, seen_step=press.step)
            await presenter.show_match(press.subject)
        else:
            game = await matches.running_game(press.subject, user.id, seen_step=press.step)
            await replies.tell(interaction, resign_question(game, user.id))
    except (MovedOnError, MatchOverError):
        message = interaction.message
        if message is not None:
            await presenter.retire_card(press.subject, Card(message.channel.id, message.id, 0, press.step))
        raise


async def _resign(interaction: Interaction, press: Press) -> None:
    try:
        await interaction.client.matches.resign(press.subject, interaction.user.id, seen_step=press.step)
    except MovedOnError:
        await replies.replace(interaction, _("The board has moved on since you asked, so you did not resign."))
        return
    await replies.replace(interaction, _("You resigned."))
    await interaction.client.presenter.show_match(press.subject)
