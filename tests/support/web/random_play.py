"""Random turns on the page of a match and on Discord."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from rules import PASS, Phase, Position, Ruleset
from tests.support.web.playground import Member, until
from tests.support.web.tapping import Tapper

#: The shares of Alice's presses on cells that cannot be chosen, and of presses that go back.
_WRONG, _BACK = 0.1, 0.1


def play_between(
    alice: Tapper, bob: Member, ruleset: Ruleset, chance: random.Random, *, passing: int | None = None
) -> Iterator[int]:
    """Play random turns, Alice's on the page and Bob's on Discord, until the game is over.

    Yield the number of turns after each turn, once both show it. Nobody passes without need, except after ``passing``
    turns.
    """
    position, turns = ruleset.start(), list[str]()
    while position.outcome is None:
        passes = passing is not None and len(turns) >= passing
        if alice.is_to_play:
            play_on_page(alice, position, chance, passes=passes)
        else:
            play_on_discord(bob, position, chance, passes=passes)
        turns = until(partial(_longer, alice, len(turns)), "a turn")
        position = ruleset.replay(turns)
        until(partial(_shows_the_same, alice, bob), "the same board")
        yield len(turns)


def _longer(alice: Tapper, before: int) -> list[str]:
    """The turns of the match, once there are more than before."""
    now = [*alice.record.turns]
    return now if len(now) > before else []


def _shows_the_same(alice: Tapper, bob: Member) -> bool:
    """Whether the page and Discord describe the position in the same words."""
    return bool(alice.is_to_play is not None and alice.seen["words"] == bob.board)


def play_on_page(alice: Tapper, position: Position, chance: random.Random, *, passes: bool) -> None:
    """Play a random turn that the page offers, with some wrong presses on the way."""
    before = alice.seen["step"]
    while (seen := alice.seen)["step"] == before:
        assert seen["title"].startswith("● Your turn"), seen
        check_offers(seen, position)
        if seen["coarse"]:
            alice.magnify(chance.choice(seen["coarse"]))
            continue
        # A second press on a chosen cell may play the turn, and does nothing if it comes too soon.
        closed = [cell for cell in seen["cells"] if cell not in seen["open"] + seen["chosen"]]
        if closed and chance.random() < _WRONG:
            press_closed(alice, chance.choice(closed))
            continue
        presses = [*(f"@{cell}" for cell in seen["open"] if cell not in seen["chosen"]), *seen["bar"]]
        if ".end" in presses and (passes or chance.random() < 0.6):
            presses = [".end"]
        elif PASS in presses and passes:
            presses = [PASS]
        elif chance.random() >= _BACK:
            presses = [value for value in presses if value not in (".back", "", PASS)] or presses
        press = chance.choice(presses)
        alice.press(press)
        assert alice.seen["notes"] == [], (press, seen, alice.seen)


def press_closed(alice: Tapper, name: str) -> None:
    """Press a cell that is not offered: the page explains, or starts another turn, but plays nothing."""
    before = alice.seen
    alice.press(f"@{name}")
    after = alice.seen
    assert after["step"] == before["step"]
    if (after["draft"], after["bar"]) == (before["draft"], before["bar"]):
        assert len(after["notes"]) == 1, (name, before, after)
        alice.dismiss()


def check_offers(seen: dict[str, Any], position: Position) -> None:
    """Check that the page offers exactly what the rules allow next."""
    if seen["coarse"] or "" in seen["bar"]:
        return
    begun, draft = position.draft(seen["begun"]), position.draft(seen["draft"])
    cells = {
        position.board.name(cell) for element in begun.next if (cell := position.element_cell(element)) is not None
    }
    if position.phase is not Phase.CHOICE:
        assert {*seen["open"]} == cells & {*seen["cells"]}
    assert {*seen["bar"]} - {".end", ".back"} <= {*draft.next}
    assert (".end" in seen["bar"]) == draft.complete


def play_on_discord(bob: Member, position: Position, chance: random.Random, *, passes: bool) -> None:
    """Play a random turn by command, or choose a side by button."""
    turns = [legal for legal in position.legal_turns if legal != PASS]
    if position.phase is Phase.CHOICE:
        bob.press(f"Play {chance.choice(turns).title()}")
        return
    bob.run("move", turn=PASS if (passes and PASS in position.legal_turns) or not turns else chance.choice(turns))
    labels = [part["label"] for part in bob.parts(2)]
    if "Cancel" in labels:  # a costly turn, so the bot asks first
        bob.press(labels[labels.index("Cancel") - 2])
