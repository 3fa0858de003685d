"""Presses that no message of this version holds: forged, of other bots or of another time."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from simcord.components import walk_components

from bot.discord.ui.messages import Press
from tests.support import puzzling
from tests.support.club import Answer, Club, Screen

OUTDATED = "This button comes from an earlier version. /board shows the current board."
#: What no custom id has in place of a number.
NO_NUMBERS = ("", "²", "٣", "-1", "1.5", "one", " 1", "1_0", str(2**63), str(2**64), "9" * 30)
#: What stands in a custom id or is chosen, and is mostly no part of either.
ODD = ("", ".", "..", "-1", "0", "99", "a.b.c.d", "+", "zz9", "dalen.99", "any.any", "1.2.3.4.5.6", "9" * 25)
ODD_CHOICES = (*ODD, "²", "٣", " 1", "1_0", str(2**63), "😀")
#: After these there is less to press.
LAST = ("resign-now", "void", "void-result", "abandon-now", "delete-now")


@pytest.fixture(autouse=True)
def puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzling.install(monkeypatch)


def actions(club: Club) -> list[str]:
    kinds = {kind for each in club.app.features for kind, _ in (*each.handlers, *each.form_openers)}
    found = {kind if isinstance(kind, str) else kind.action for kind in kinds}
    return sorted(found, key=lambda action: (action in LAST, action))


async def fire(
    club: Club, screen: Screen, custom_ids: Sequence[str], choices: Sequence[str] | None = None
) -> list[Answer]:
    """Have Alice press buttons with these ids, or choose something in menus with them."""
    label = next(iter(screen.buttons))
    return await club.press_together(
        *((club.alice, label, screen.relabelled(label, each)) for each in custom_ids), choices=choices
    )


async def test_an_id_without_its_parts_or_with_a_number_too_large_is_out_of_date(club: Club) -> None:
    await club.match(turns=["e5", "dark"])
    screen = club.screen()
    for action in (*actions(club), "juggle", "²"):
        ids = [f"hexgrove:1:{action}:{each}:1:" for each in NO_NUMBERS]
        ids += [f"hexgrove:1:{action}:1:{each}:" for each in (*NO_NUMBERS, str(2**31))]
        ids += [f"hexgrove:1:{action}", f"hexgrove:1:{action}:1:1", f"hexgrove:1:{action}:1:1:a:b"]
        ids += [f"hexgrove:²:{action}:1:1:", f"chess:1:{action}:1:1:", f"hexgrove:1:{action}:1:1:É", action]
        assert {answer.private for answer in await fire(club, screen, ids)} == {OUTDATED}, action
    assert await club.turns() == ("e5", "dark")


async def test_odd_arguments_and_choices_are_answered_in_words(club: Club) -> None:
    """The club checks that nothing is logged as an error."""
    match = await club.match(turns=["e5", "dark"])
    screen = club.screen()
    usual = await opened_arguments(club, screen)
    for action in actions(club):
        chance = random.Random(action)
        arguments = [*ODD, *(odd for each in usual.get(action, ()) for odd in varied(each, chance))]
        subjects = (0, match.id, match.id, 2**31, 2**63 - 1, int(puzzling.ONE_TURN.key, 16), club.bob.id)
        ids = [
            Press(action, chance.choice(subjects), chance.choice((0, 1, match.step, 2**31 - 1)), argument).custom_id
            for argument in chance.sample(arguments, 8)
        ]
        await fire(club, screen, [each[:100] for each in ids])
        known = chance.choice([*usual.get(action, ()), ""])
        for count in (0, 1, 1, 2):
            chosen = Press(action, match.id, match.step, known)
            await fire(club, screen, [f"menu:{chosen.custom_id}"], chance.sample(ODD_CHOICES, count))


async def opened_arguments(club: Club, screen: Screen) -> dict[str, list[str]]:
    """The arguments of buttons and menus on cards that people open, by action."""
    await club.slash(club.alice, "challenge", opponent=club.carol, game="dalen")
    for command in ("play", "puzzle", "settings", "challenges", "leaderboard", "history", "replay", "try", "board"):
        await club.slash(club.alice, command)
    await club.slash(club.alice, "rules", game="dalen")
    form = await fire(club, screen, ["hexgrove:1:offer-new:0:0:dalen"])
    await club.press(club.alice, "Anybody here", on=form[0].private_handle)
    found: dict[str, list[str]] = {}
    for message in club.env.backend.messages[club.channel.id].values():
        for part in walk_components(message.components):
            press = Press.parse(part.get("custom_id", "").removeprefix("menu:"))
            if press is not None:
                found.setdefault(press.action, []).append(press.argument)
    return found


def varied(argument: str, chance: random.Random) -> list[str]:
    """An argument with a part too few, one too many, and one that is something else."""
    parts = argument.split(".")
    parts[chance.randrange(len(parts))] = chance.choice(ODD)
    return [argument, argument.rpartition(".")[0], f"{argument}.1", ".".join(parts)]
