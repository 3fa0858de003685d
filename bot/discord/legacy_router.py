"""What buttons, menus and forms do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from bot.discord import replies
from bot.discord.cards import words
from bot.discord.cards.match import resign_question
from bot.discord.cards.replay import try_form
from bot.discord.commands import turn_builder as guided
from bot.discord.commands.board import try_again
from bot.discord.commands.challenge_form import change_offer
from bot.discord.commands.clock import use_clock
from bot.discord.commands.leaderboard import turn_leaderboard
from bot.discord.commands.match_lists import turn_games, turn_history
from bot.discord.commands.moving import move_here
from bot.discord.commands.privacy import use_privacy, void_result
from bot.discord.commands.proposals import handle_answer, handle_proposing, handle_voiding, offer_to_void
from bot.discord.commands.replay import open_replay, share, turn_replay
from bot.discord.commands.rulebook import open_rule, turn_rules
from bot.discord.commands.settings import change_preferences, change_server_settings
from bot.discord.commands.tournament import use_tournament
from bot.discord.errors import RefusalError
from bot.discord.interactions import Interaction, player_of
from bot.discord.messages import Form, Press
from bot.domain.errors import ChallengeClosedError, MatchOverError, MovedOnError, NotAPlayerError
from bot.domain.places import PostedMessage
from bot.texts import gettext as _

#: What has a handler of its own elsewhere.
_HANDLERS: dict[str, Callable[[Interaction, Press], Awaitable[None]]] = {
    "games": turn_games,
    "history": turn_history,
    "history-result": turn_history,
    "history-opponent": turn_history,
    "replay-open": open_replay,
    "replay": turn_replay,
    "replay-jump": turn_replay,
    "share": share,
    "rules": turn_rules,
    "rules-section": turn_rules,
    "rule": open_rule,
    "void": handle_voiding,
    "pick": guided.go_on,
    "back": guided.go_on,
    "cancel": guided.go_on,
    "confirm": guided.go_on,
    "typed": guided.typed,
    "tried": try_again,
    "move-here": move_here,
    "leaderboard": turn_leaderboard,
    "leaderboard-with": turn_leaderboard,
    "time": use_clock,
    "claim": use_clock,
    "give-time": use_clock,
    "privacy": use_privacy,
    "block": use_privacy,
    "get-data": use_privacy,
    "delete-data": use_privacy,
    "delete-now": use_privacy,
    "ask-void-result": void_result,
    "keep-result": void_result,
    "void-result": void_result,
    "tournament-join": use_tournament,
    "tournament-leave": use_tournament,
    "tournament-start": use_tournament,
    "tournament-withdraw": use_tournament,
    "tournament-stay": use_tournament,
    "tournament-take-out": use_tournament,
    "tournament-keep": use_tournament,
}


async def form_for(interaction: Interaction, press: Press | None) -> Form | None:
    """The form that a press opens, if it opens one. Nothing is acknowledged yet, so this has to be quick.

    What it raises is told to the user in place of the form.
    """
    match press:
        case Press("try-more"):
            return try_form(press)
        case Press("type"):
            async with _clearing(interaction, press):
                return await guided.open_form(interaction, press)
    return None


async def handle_press(interaction: Interaction, press: Press | None) -> None:
    """Does what a pressed button stands for; the interaction is acknowledged already."""
    match press:
        case Press("accept" | "decline" | "withdraw"):
            await _answer_challenge(interaction, press)
        case Press("turn" | "play" | "resign"):
            async with _clearing(interaction, press):
                await _use_board(interaction, press)
        case Press("resign-now"):
            await _resign(interaction, press)
        case Press("propose", argument="draw" | "abandon" | "rematch"):
            await handle_proposing(interaction, press)
        case Press("agree" | "refuse" | "recall"):
            await handle_answer(interaction, press)
        case Press(action) if action.startswith(("server-", "all-")):
            await change_server_settings(interaction, press)
        case Press(action) if action.startswith("my-"):
            await change_preferences(interaction, press)
        case Press(action, argument=terms) if action.startswith("offer-") and terms.count(".") == 5:
            await change_offer(interaction, press)
        case Press("keep-playing"):
            await replies.replace(interaction, _("Good. The match goes on."))
        case Press(action) if action in _HANDLERS:
            await _HANDLERS[action](interaction, press)
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
        message = interaction.message
        on = None if message is None else PostedMessage(message.channel.id, message.id, 0)
        await presenter.show_challenge(press.subject, on=on)
        raise
    await presenter.show_challenge(press.subject)


@asynccontextmanager
async def _clearing(interaction: Interaction, press: Press) -> AsyncIterator[None]:
    """Takes the buttons off a board's card when it turns out that the board has moved on."""
    try:
        yield
    except (MovedOnError, MatchOverError):
        message = interaction.message
        if message is not None and not message.flags.ephemeral:
            if not interaction.response.is_done():
                await replies.acknowledge(interaction)
            card = PostedMessage(message.channel.id, message.id, 0, press.step)
            await interaction.client.presenter.retire_card(press.subject, card)
        raise


async def _use_board(interaction: Interaction, press: Press) -> None:
    match press.action:
        case "turn":
            await guided.submit(interaction, press.subject, press.argument, press.step)
        case "play":
            await guided.open_turn(interaction, press)
        case _:
            await _ask_to_resign(interaction, press)


async def _ask_to_resign(interaction: Interaction, press: Press) -> None:
    matches, user = interaction.client.matches, interaction.user
    try:
        game = await matches.running_game(press.subject, user.id, seen_step=press.step)
    except NotAPlayerError as error:
        await offer_to_void(interaction, error.match)
    else:
        await replies.tell(interaction, resign_question(game, user.id))


async def _resign(interaction: Interaction, press: Press) -> None:
    try:
        await interaction.client.matches.resign(press.subject, interaction.user.id, seen_step=press.step)
    except MovedOnError:
        await replies.replace(interaction, _("The board has moved on since you asked, so you did not resign."))
        return
    await replies.replace(interaction, _("You resigned."))
    await interaction.client.presenter.show_match(press.subject)
