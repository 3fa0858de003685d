"""What the buttons do."""

from __future__ import annotations

from bot import replies
from bot.cards.match import resign_question
from bot.cards.post import Press
from bot.commands.context import Interaction, player_of
from bot.errors import RefusalError
from bot.matches.errors import ChallengeClosedError, MovedOnError


async def handle_press(interaction: Interaction, press: Press | None) -> None:
    """Does what a pressed button stands for; the interaction is acknowledged already."""
    client, user = interaction.client, interaction.user
    match press:
        case Press("accept", challenge_id):
            try:
                accepted = await client.matches.accept(challenge_id, player_of(user))
            except ChallengeClosedError:
                await client.presenter.show_challenge(challenge_id)
                raise
            await client.presenter.show_accepted(accepted)
        case Press("decline", challenge_id):
            await client.matches.decline(challenge_id, user.id)
            await client.presenter.show_challenge(challenge_id)
        case Press("withdraw", challenge_id):
            await client.matches.withdraw(challenge_id, user.id)
            await client.presenter.show_challenge(challenge_id)
        case Press("turn", match_id, ply, turn):
            await client.matches.play(match_id, user.id, turn, seen_ply=ply)
            await client.presenter.show_match(match_id)
        case Press("resign", match_id, ply):
            game = await client.matches.resignable(match_id, user.id, seen_ply=ply)
            await replies.tell(interaction, resign_question(game))
        case Press("resign-now", match_id, ply):
            try:
                await client.matches.resign(match_id, user.id, seen_ply=ply)
            except MovedOnError:
                await replies.replace(interaction, "The board has moved on since you asked, so you did not resign.")
                return
            await replies.replace(interaction, "You resigned.")
            await client.presenter.show_match(match_id)
        case Press("keep-playing"):
            await replies.replace(interaction, "Good. The match goes on.")
        case _:
            raise RefusalError("This button is of an older time. Call the board with `/board`.")
