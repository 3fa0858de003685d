"""Presses that no message of this version has: forged, of other bots or of other versions."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from simcord.components import walk_components

from tests.support.discord import known_puzzles
from tests.support.discord.club import Answer, Club, Screen
from tests.support.thorough import THOROUGH, fewer, sample

pytestmark = pytest.mark.usefixtures("hand_made_puzzles")

OUTDATED = "This button comes from an earlier version. /board shows the current board."
#: Texts that are no numbers in a custom id.
NO_NUMBERS = ("", "²", "٣", "-1", "1.5", "one", " 1", "1_0", str(2**63), str(2**64), "9" * 30)
#: Odd parts of custom ids, and odd choices.
ODD = ("", ".", "..", "-1", "0", "99", "a.b.c.d", "+", "zz9", "dalen.99", "any.any", "1.2.3.4.5.6", "9" * 25)
ODD_CHOICES = (*ODD, "²", "٣", " 1", "1_0", str(2**63), "😀")
#: Actions after which there is less to press.
LAST = ("resign-now", "end-match", "void-result", "delete-now")


def actions(club: Club) -> list[str]:
    kinds = {kind for each in club.app.features for kind, _ in (*each.handlers, *each.form_openers)}
    return sorted({kind.action for kind in kinds}, key=lambda action: (action in LAST, action))


async def fire(
    club: Club, screen: Screen, custom_ids: Sequence[str], choices: Sequence[str] | None = None
) -> list[Answer]:
    """Have Alice press buttons with these ids, or choose something in menus with them."""
    label = next(iter(screen.buttons))
    return await club.press_together(
        *((club.alice, label, screen.relabelled(label, each)) for each in custom_ids), choices=choices
    )


async def test_an_id_with_extra_fields_or_of_another_bot_is_out_of_date(club: Club) -> None:
    await club.match(turns=["e5", "dark"])
    screen = club.screen()
    for number, action in enumerate(("juggle", "²", *sample(actions(club), every=2))):
        ids = [f"hexgrove:{action}" + ":1" * 12, f"chess:{action}:1:1:", f"hexgrove:2:{action}:1:1:", action]
        chosen = ids if THOROUGH or number < 2 else [ids[number % 4]]
        assert {answer.private for answer in await fire(club, screen, chosen)} == {OUTDATED}, action
    assert await club.turns() == ("e5", "dark")


async def test_odd_fields_and_choices_are_answered_in_words(club: Club) -> None:
    """The club checks that nothing is logged as an error."""
    match = await club.match(turns=["e5", "dark"])
    screen = club.screen()
    usual = await ids_on_cards(club, screen)
    for number, action in enumerate(actions(club)):
        chance, by_id = random.Random(action), number % 2
        subjects = (0, match.id, match.id, 2**31, 2**63 - 1, int(known_puzzles.ONE_TURN.key, 16), club.bob.id)
        bases = [*usual.get(action, ()), *(f"hexgrove:{action}:{chance.choice(subjects)}:{match.step}:" for _ in "12")]
        if by_id or THOROUGH:
            ids = [varied(chance.choice(bases), chance) for _ in range(fewer(8, 8))]
            await fire(club, screen, [each[:100] for each in ids])
        for count in (0, 1, 1, 2) if THOROUGH else () if by_id else (chance.randrange(3),):
            await fire(club, screen, [bases[0][:100]], chance.sample(ODD_CHOICES, count))


async def ids_on_cards(club: Club, screen: Screen) -> dict[str, list[str]]:
    """The ids of buttons and menus on cards that people open, by action."""
    await club.slash(club.alice, "challenge", opponent=club.carol, game="dalen")
    for command in ("play", "puzzle", "settings", "tournament", "leaderboard", "history", "replay", "try", "board"):
        await club.slash(club.alice, command)
    await club.slash(club.alice, "rules", game="dalen")
    form = await fire(club, screen, ["hexgrove:offer-new:dalen"])
    await club.press(club.alice, "Change…", on=form[0].private_handle)
    found: dict[str, list[str]] = {}
    for message in club.env.backend.messages[club.channel.id].values():
        for part in walk_components(message.components):
            custom_id = part.get("custom_id", "")
            found.setdefault(custom_id.removeprefix("hexgrove:").partition(":")[0], []).append(custom_id)
    return found


def varied(custom_id: str, chance: random.Random) -> str:
    """An id with a missing, an extra or a changed field, or part of one."""
    fields = custom_id.split(":")
    at = chance.randrange(2, len(fields)) if len(fields) > 2 else 1
    parts = fields[at].split(".")
    parts[chance.randrange(len(parts))] = chance.choice((*NO_NUMBERS, *ODD))
    replaced = ":".join([*fields[:at], ".".join(parts), *fields[at + 1 :]])
    return chance.choice((replaced, replaced, custom_id.rpartition(":")[0], f"{custom_id}:1", f"{custom_id}.1"))
