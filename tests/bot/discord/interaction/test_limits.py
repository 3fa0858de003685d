"""The longest texts and oddest numbers that Discord passes on: they make no more work than shorter ones."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
from discord import AppCommandOptionType, app_commands
from simcord.enums import InteractionType

from bot.discord.features.study.rules import leaves
from bot.discord.features.study.try_ import LONGEST_TYPED, TypedLine
from bot.discord.features.turns.move import TypedTurn
from bot.discord.interaction.interactions import LONGEST_CHOICE
from bot.discord.ui.actions import choices, name_of
from bot.discord.ui.messages import LONGEST_DESCRIPTION
from bot.discord.ui.presses import LONGEST_FIELD
from bot.discord.ui.turn_entry import LONGEST_TURN
from tests.support.discord.club import Club
from tests.support.discord.commands import OPTIONS, commands, send, use
from tests.support.thorough import THOROUGH, sample

#: The maximum lengths of an option, of a field in a form, and of the id of a button.
OPTION, FIELD, CUSTOM_ID = 6000, 4000, 100
#: Parts that are repeated to fill them.
HOSTILE = ("9", "a", "a1 ", "d4-", "1.", "soft ", "a turn+", "(")


class Watched:
    """A pattern, or the module ``re``, that records the length of every text it gets."""

    def __init__(self, watched: Any, lengths: list[int]) -> None:
        self._watched = watched
        self._lengths = lengths

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._watched, name)
        if name not in ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"):
            return found

        def call(*arguments: Any, **options: Any) -> Any:
            texts = arguments if isinstance(self._watched, re.Pattern) else arguments[1:]
            self._lengths.append(max(len(text) for text in texts if isinstance(text, str)))
            return found(*arguments, **options)

        return call


@contextmanager
def watching() -> Iterator[list[int]]:
    """Collect the lengths of all texts that the patterns of ``bot``, ``render`` and ``rules`` get."""
    lengths: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        for name, module in sorted(sys.modules.items()):
            if name.partition(".")[0] in ("bot", "render", "rules"):
                for known, value in list(vars(module).items()):
                    if isinstance(value, re.Pattern) or value is re:
                        patch.setattr(module, known, Watched(value, lengths))
        yield lengths


def too_long(length: int) -> tuple[str, ...]:
    return "e5" + " " * (length - 2), "9" * length, "a" * (length - 1) + "!"


def longest(option: app_commands.Parameter) -> int:
    if option.type is AppCommandOptionType.string and option.max_value is not None:
        return int(option.max_value)
    return LONGEST_CHOICE


async def test_overlong_typing_costs_no_more_than_the_longest_valid_text(club: Club) -> None:
    await club.match(turns=["e5", "dark"])
    kind = InteractionType.APPLICATION_COMMAND_AUTOCOMPLETE
    known: set[object] = set()  # functions that several options share
    with watching() as lengths:
        for name, option in (each for each in OPTIONS if each[1].autocomplete):

            async def work(typed: str, name: str = name, option: app_commands.Parameter = option) -> list[int]:
                lengths.clear()
                await use(club, name, option, typed, kind)
                return lengths.copy()

            function = dict(commands())[name]._params[option.name].autocomplete
            if function not in known:
                await work("x")  # fill the caches
            for part in HOSTILE[:1] if function in known else sample(HOSTILE, 4):
                whole = part * (OPTION // len(part) + 1)
                fits = await work(whole[: longest(option)])
                for typed in sample((whole[:OPTION], whole[: OPTION - 1] + "!"), 2):
                    assert await work(typed) == fits, (name, option.name, part)
            known.add(function)
    assert len(known) > 10


async def test_a_command_with_an_overlong_text_is_refused(club: Club) -> None:
    await club.match(turns=["e5", "dark"])
    with watching() as lengths:
        for number, ((name, option), text) in enumerate(product(OPTIONS, too_long(OPTION))):
            if not THOROUGH and number % 5:  # each text is used in some of the options
                continue
            lengths.clear()
            answer = await use(club, name, option, text, InteractionType.APPLICATION_COMMAND)
            assert answer.private == f"That is too long: please use at most {longest(option)} characters there.", name
            assert max(lengths, default=0) < LONGEST_CHOICE
    assert await club.turns() == ("e5", "dark")


def test_every_typed_option_has_a_maximum_length() -> None:
    said = {(name, option.name): option.max_value for name, option in OPTIONS if not option.choices}
    assert said.pop(("challenge", "size")) is None, "a number"
    assert said.pop(("move", "turn")) == LONGEST_TURN
    assert said.pop(("try", "turns")) == LONGEST_TYPED
    assert set(said.values()) == {LONGEST_CHOICE}


async def test_odd_numbers_in_options_are_answered_in_words(club: Club) -> None:
    """The club checks that nothing is logged as an error."""
    await club.match(turns=["e5", "dark"])
    for name, command in commands():
        for option in command.parameters:
            odd: tuple[Any, ...] = ()
            if option.type is AppCommandOptionType.integer:
                odd = (-(2**53), -1, 0, 9, 2**53, 2**63)
                if option.min_value is not None:
                    odd += (option.min_value, option.max_value)
            elif option.type is AppCommandOptionType.string:
                odd = ("²", "٣", "#-1", "0", "9", str(2**31), str(2**63), "9" * 30, "chess")
            for value in sample(odd, 3):
                answer = await use(club, name, option, value, InteractionType.APPLICATION_COMMAND)
                said = "" if answer.nothing else answer.private
                allowed = [each.value for each in option.choices]
                if allowed and value not in allowed:
                    assert said == f"Choose `{option.name}` from its list."
                elif isinstance(value, int) and option.min_value is not None:
                    least, most = int(option.min_value), int(option.max_value or 0)
                    refused = said == f"`{option.name}` is a number from {least} to {most}."
                    assert refused is not (least <= value <= most), (name, option.name, value)


async def test_a_form_with_an_overlong_text_is_refused(club: Club) -> None:
    match = await club.match(turns=["e5", "dark"])
    message = club.screen().message
    for form, text in product((TypedTurn(match.id, match.step), TypedLine(match.id, "")), too_long(FIELD)):
        field = {"type": 18, "component": {"type": 4, "custom_id": "turn", "value": text}}
        data = {"custom_id": form.custom_id, "components": [field]}
        with watching() as lengths:
            answer = await send(club, InteractionType.MODAL_SUBMIT, data, message)
        assert f"That is too long: please use at most {LONGEST_FIELD} characters there." == answer.private
        assert max(lengths, default=0) < 100 + len(data["custom_id"])
    assert await club.turns() == ("e5", "dark")
    assert LONGEST_TURN <= LONGEST_FIELD


async def test_the_longest_ids_are_answered_in_words(club: Club) -> None:
    await club.match(turns=["e5", "dark"])
    screen = club.screen()
    label = next(iter(screen.buttons))
    kinds = {kind for each in club.app.features for kind, _ in (*each.handlers, *each.form_openers)}
    begun = ("", "1:", "1:2:", "dalen:")
    every = [f"{kind.action}:{each}" for kind in sorted(kinds, key=str) for each in begun]
    starts = sample(every, every=2 * len(begun) - 1)  # every other action with one of the beginnings
    for name in choices():
        leaves(name_of(name))  # fill the caches
    with watching() as lengths:
        for number, start in enumerate(starts):
            parts = ("9", "a", "-", ".", "a1-")
            some = parts if THOROUGH else (parts[number % len(parts)],)
            ids = [(f"hexgrove:{start}" + part * CUSTOM_ID)[:CUSTOM_ID] for part in some]
            lengths.clear()
            await club.press_together(*((club.alice, label, screen.relabelled(label, each)) for each in ids))
            assert max(lengths, default=0) <= LONGEST_DESCRIPTION, ids
    # No bot ever made such an id, so some are answered with the code of a failure.
    club.expected_failures += [event["event"] for event in club.log if event["event"] == "interaction_failed"]
