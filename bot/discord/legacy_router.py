"""What buttons, menus and forms do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.discord.cards import words
from bot.discord.commands.challenge_form import change_offer
from bot.discord.commands.clock import use_clock
from bot.discord.commands.proposals import handle_answer, handle_proposing, handle_voiding
from bot.discord.errors import RefusalError
from bot.discord.interactions import Interaction, player_of
from bot.discord.messages import Press
from bot.domain.errors import ChallengeClosedError
from bot.domain.places import PostedMessage
from bot.texts import gettext as _

#: What has a handler of its own elsewhere.
_HANDLERS: dict[str, Callable[[Interaction, Press], Awaitable[None]]] = {
    "void": handle_voiding,
    "time": use_clock,
    "claim": use_clock,
    "give-time": use_clock,
}


async def handle_press(interaction: Interaction, press: Press | None) -> None:
    """Does what a pressed button stands for; the interaction is acknowledged already."""
    match press:
        case Press("accept" | "decline" | "withdraw"):
            await _answer_challenge(interaction, press)
        case Press("propose", argument="draw" | "abandon" | "rematch"):
            await handle_proposing(interaction, press)
        case Press("agree" | "refuse" | "recall"):
            await handle_answer(interaction, press)
        case Press(action, argument=terms) if action.startswith("offer-") and terms.count(".") == 5:
            await change_offer(interaction, press)
        case Press(action) if action in _HANDLERS:
            await _HANDLERS[action](interaction, press)
        case _:
            older = _("This button no longer works. {board} shows the current board.")
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
