"""Suggestions are read by their values and by their labels, which Discord sometimes sends instead."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from simcord.enums import InteractionType

from bot.discord.features.study.rules import leaf_number, number_of
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.interactions import chosen, distinct, noted_choice, refused_choice, without_notes
from bot.discord.interaction.options.clock import ClockOption
from bot.discord.interaction.options.match import match_number
from bot.discord.ui.actions import choices, contents
from bot.domain.clocks import TimeControlError
from bot.texts import LANGUAGES, in_language
from tests.support.discord.club import Club
from tests.support.discord.commands import OPTIONS, commands, use
from tests.support.thorough import THOROUGH

TYPED = InteractionType.APPLICATION_COMMAND_AUTOCOMPLETE
SENT = InteractionType.APPLICATION_COMMAND
Reader = Callable[[Club, str, Any, str], Awaitable[object]]


async def answered(club: Club, name: str, option: Any, text: str) -> object:
    """The private answer to a command with that option."""
    others: dict[str, Any] = {"overlay": "legal"} if option.name == "cell" else {}
    if name == "challenge":
        others = {"program": "nobody"}  # so nothing is posted
    answer = await use(club, name, option, text, SENT, **others)
    return [(each.text, each.labels) for each in answer.messages]


async def as_clock(_club: Club, _name: str, _option: Any, text: str) -> object:
    anything: Any = None
    try:
        return await ClockOption().transform(anything, text)
    except (TimeControlError, RefusalError):
        return "refused"


async def as_match(_club: Club, _name: str, _option: Any, text: str) -> object:
    return match_number(text)


#: Texts to type in each option with suggestions, and how the suggestions are read.
TEXTS: dict[str, tuple[tuple[Any, ...], Reader]] = {
    "SizeOption.autocomplete": (("", "7"), answered),
    "VariantOption.autocomplete": (("", "l"), answered),
    "ClockOption.autocomplete": (
        (
            *(
                "",
                "1",
                "2+2",
                "10 + 30",
                "d",
                "n",
                "14 days",
                "3 days + 2 days",
                "30 d",
                "60 d",
                "1209600s",
                "1.5 d",
                "14 d + 10 d",
            ),
            *("3d + 1d max 5d", "90 s", "1 d 2 h 3 min 4 s", "10 min for the whole match strict", "9 s", "x" * 90),
            "59d 23h 59min 59s + 13d 23h 59min 59s max 59d 23h 58min 58s strict",
        ),
        as_clock,
    ),
    "MatchOption.autocomplete": (("", "#", "1", "al"), as_match),
    "BoardCommands.overlays": (("",), answered),
    "BoardCommands.cells": (("e5",), answered),
    "RulesCommand.pages": (("", "stone"), answered),
    "TryCommand.typed_lines": (("", "e", "d4 e4", "e5", "d4 d4"), answered),
}
#: Options of commands that act. Other tests use their suggestions.
ACTING = {"MoveCommands.turns", "ProgramOption.autocomplete"}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_suggestion_is_read_like_its_label(club: Club, language: str) -> None:
    await club.app.settings.change_preferences(club.player(club.alice), language=language)
    await club.match(turns=["e5", "dark"], size=7)
    every = {
        getattr(dict(commands())[name]._params[option.name].autocomplete, "__qualname__", ""): (name, option)
        for name, option in reversed(OPTIONS)
        if option.autocomplete
    }
    assert set(every) == {*TEXTS} | ACTING
    for function, (texts, read) in TEXTS.items():
        name, option = every[function]
        offered = 0
        for typed in texts:
            answer: Any = await use(club, name, option, typed, TYPED)
            suggested = answer.result.autocomplete_choices
            for each in suggested if THOROUGH else [*suggested[:2], *suggested[-1:]]:
                offered += 1
                label = each["name"]
                by_label, by_value = [await read(club, name, option, each[key]) for key in ("name", "value")]
                if label.startswith("✗ ") and read is answered:
                    assert label[2:] in str(by_label).replace("\\", "")
                    assert label[2:] in str(by_value).replace("\\", "")
                else:
                    assert by_label == by_value, label
        assert offered, function


def test_the_title_of_a_section_opens_it_even_if_others_contain_it() -> None:
    for language in LANGUAGES:
        with in_language(language):
            for name in choices():
                for anchor, title in contents(name).items():
                    assert leaf_number(name, title) == leaf_number(name, anchor) == number_of(name, anchor), title


def test_the_value_of_a_choice_is_read_from_its_label_however_long() -> None:
    for length in range(1, 101):
        choice = noted_choice("e" * length, "flips 7 stones", "goes on …" * 20)
        assert len(choice.name) <= 100
        assert without_notes(choice.name) == without_notes(choice.value) == choice.value
    too_long = refused_choice("this is no turn", "e" * 101)
    with pytest.raises(RefusalError, match="this is no turn"):
        without_notes(too_long.value)


async def test_labels_are_accepted_in_place_of_values(club: Club) -> None:
    await club.match(turns=["e5", "dark"])
    (offered, *_) = await club.offers(club.alice, "d4")
    assert " · " in offered["name"] or offered["name"] == "d4"
    (match,) = await club.offers(club.alice, "", option="match")
    await club.slash(club.alice, "move", turn=f"{offered['value']} · and more", match=match["name"])
    assert (await club.turns())[-1] == "d4"
    (refused,) = await club.offers(club.bob, "d4")
    assert "d4 is taken" in (await club.slash(club.bob, "move", turn=refused["name"])).private
    await club.challenge(club.alice, clock="3 Tage + 2 Tage pro Zug", variant="standard")


def test_choices_with_the_same_label_are_numbered() -> None:
    labels = distinct({"1": "Ann", "2": "Ben", "3": "Ann", "4": "x" * 200})
    assert [chosen(label[:99] + "…" * (len(label) > 99), labels) for label in labels.values()] == [*labels]
    assert [chosen(each, labels) for each in labels] == [*labels]
    assert chosen(" \u200bBEN ", labels) == "2"
    assert chosen("Carol", labels) is None
