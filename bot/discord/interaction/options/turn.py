"""Suggestions while a turn is typed."""

from __future__ import annotations

from contextlib import suppress

from bot.discord.interaction.interactions import LONGEST_CHOICE, MOST_CHOICES, Choices, noted_choice, refused_choice
from bot.domain.matches import Game
from bot.texts import gettext as _, translations
from bot.wording import words
from rules import PASS, Draft, Phase, Placed, Position, SideChosen, TurnError, elements_of, tidy, without_last_element


def offered_turns(game: Game, typed: str) -> Choices:
    """Suggest turns and parts of turns that begin with the typed text, with their effects, or explain why none do.

    The typed turn comes first, then turns with an effect, then turns near the last stone.
    """
    position = game.position
    wanted = tidy(typed)
    last = next((event.cell for event in game.events if isinstance(event, Placed)), position.board.centre)

    def away(text: str) -> int:
        cell = position.element_cell(elements_of(text)[-1]) if text else None
        return 0 if cell is None else position.board.distance(last, cell)

    texts = sorted(_beginning(position, wanted), key=lambda text: (text != wanted, away(text)))
    if position.phase is Phase.OPENING:
        del texts[MOST_CHOICES:]  # openings have no effects to sort by
    offered = []
    for draft in map(position.draft, texts):
        did = _effect_of(game, draft)
        notes = did, "" if draft.complete else _("goes on …")
        offered.append((draft.text != wanted, not did, away(draft.text), notes, draft.text))
    if offered:
        offered.sort(key=lambda offer: offer[:3])  # equal offers stay in the order of the board
        return [
            noted_choice(turn, *notes) for *_rank, notes, turn in offered[:MOST_CHOICES] if len(turn) <= LONGEST_CHOICE
        ]
    try:
        position.draft(wanted)
    except TurnError as error:
        return [refused_choice(error.translate(translations()), typed or PASS)]
    return []


def _beginning(position: Position, wanted: str) -> list[str]:
    """The turns and parts of turns that begin with the typed text and go at most one element further."""
    texts: dict[str, None] = {}
    for begun in dict.fromkeys([without_last_element(wanted), wanted]):
        with suppress(TurnError):
            draft = position.draft(begun)
            if begun == wanted and begun:
                texts[draft.text] = None
            texts |= dict.fromkeys(begun + element for element in draft.next if (begun + element).startswith(wanted))
    return list(texts)


def _effect_of(game: Game, draft: Draft) -> str:
    """The effect of a turn; for a choice of side, the side's name unless that is what the turn says."""
    for event in draft.events:
        if isinstance(event, SideChosen):
            side = words.side(game.match.ruleset, event.side)
            return "" if side.casefold() == draft.text else side
    return words.effect(draft.events)
