"""What goes with a board's card that lives at the end of its channel, and the button that chooses between it and a card
for every turn."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.discord.ui import words
from bot.discord.ui.links import board_cards_button, more_button
from bot.discord.ui.messages import CardView, Message, compose
from bot.domain.matches import Game, Match
from bot.domain.players import Player
from bot.domain.preferences import BoardCards
from bot.texts import gettext as _


def turn_ping(player: Player, link: str) -> Message:
    """Calls the player to a card that was edited, which by itself notifies nobody."""
    text = _("{player}, it is your turn: [to the board]({link})").format(player=words.mention(player), link=link)
    return _line(text, player)


def past_line(game: Game, earlier: Sequence[Game] = (), *, taken_back: bool = False) -> Message:
    """What stays of a card in whose place there is one further down: its turn, in a small line, below those that the
    ``earlier`` games ended with."""
    turn = words.turn_made(game) or f"{game.match.ruleset.game.title} · {words.versus(game.match)}"
    note = _("↩️ This turn was taken back.") if taken_back else ""
    turns = [*map(words.turn_made, earlier), " · ".join(filter(None, [turn, note]))]
    return _line("\n".join(f"-# {each}" for each in turns if each))


def _line(text: str, *pings: Player) -> Message:
    return Message(CardView(discord.ui.TextDisplay(text)), pings=pings)


def chosen_card(match: Match, chosen: BoardCards) -> Message:
    """Says how the match is shown from now on, and lets it be changed back."""
    if chosen is BoardCards.LIVING:
        text = _("From the next turn on, match #{match} has one living card, which always stays below new messages.")
    else:
        text = _("From the next turn on, match #{match} has a card for every turn, and each keeps its picture.")
    return compose(
        text.format(match=match.id),
        footer=_("This applies to both players and everybody who watches."),
        buttons=(more_button(match), board_cards_button(match, chosen)),
    )
