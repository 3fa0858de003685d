"""The custom ids of buttons, menus and forms: every press reads back, and unknown ids are out of date."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import product
from typing import Annotated

import pytest

import rules
from bot.discord.ui.presses import GameType, Id, OutdatedPressError, Press, read_press, user_input


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Terms(Press):
    size: int
    note: Annotated[str, 10] = ""


class Numbered(Press):
    number: Id


class Order(Numbered, action="order"):
    game: GameType | None
    terms: Terms
    paid: bool = False


class ChooseSize(Numbered, action="size"):
    size: Size = user_input()


class ChoosePeople(Press, action="people"):
    people: tuple[Id, ...] = user_input()


class Fill(Press, action="fill"):
    name: str = user_input()
    note: str = user_input(default="-")


KINDS = {kind.action: kind for kind in (Order, ChooseSize, ChoosePeople, Fill)}


def orders() -> Iterator[Order]:
    games, notes = (None, *rules.GAMES.values()), ("", "a.b:c", "%25", "10 µ%3A😀")
    for number, game, size, note in product((0, 1, 2**63 - 1), games, (0, 2**31 - 1), notes):
        yield Order(number, game, Terms(size, note), paid=bool(size))


def test_a_press_reads_back_from_its_id() -> None:
    ids = set()
    for press in orders():
        assert read_press(KINDS, press.custom_id) == press
        ids.add(press.custom_id)
    assert len(ids) == len(list(orders()))
    assert Order(7, rules.GAMES["dalen"], Terms(5)).custom_id == "hexgrove:order:7:dalen:5.:0"


def test_an_id_from_before_a_field_existed_means_its_default() -> None:
    assert read_press(KINDS, "hexgrove:order:7:dalen:5") == Order(7, rules.GAMES["dalen"], Terms(5))


@pytest.mark.parametrize(
    "odd",
    [
        *("", "hexgrove", "hexgrove:", "hexgrove::"),
        *("chess:order:7::5.:0", "hexgrove:order", "hexgrove:juggle:7::5.:0"),
        *(
            f"hexgrove:order:{odd}::5.:0"
            for odd in ("", "-1", "+1", "01", "1_0", " 1", "٣", "²", "1.5", 2**63, "9" * 5000)
        ),
        *(f"hexgrove:order:7:{odd}:5.:0" for odd in ("moon", "Dalen", " ")),
        *(f"hexgrove:order:7::{odd}:0" for odd in ("", "x.", "-1.", f"{2**31}.", "5.a.b", "5." + "n" * 11)),
        *(f"hexgrove:order:7::5.:{odd}" for odd in ("", "2", "True", "0:0")),
        *("hexgrove:order:7", "hexgrove:size:7", "hexgrove:size:7:", "hexgrove:size:7:huge", "hexgrove:fill:"),
    ],
)
def test_an_odd_id_is_out_of_date(odd: str) -> None:
    with pytest.raises(OutdatedPressError):
        read_press(KINDS, odd)


def test_choices_and_form_values_come_with_the_press() -> None:
    for size in Size:
        assert read_press(KINDS, ChooseSize(7).custom_id, [size]) == ChooseSize(7, size)
        assert read_press(KINDS, ChooseSize(7, size).custom_id) == ChooseSize(7, size)
    assert read_press(KINDS, ChoosePeople().custom_id, []) == ChoosePeople(())
    assert read_press(KINDS, ChoosePeople().custom_id, ["3", "4"]) == ChoosePeople((3, 4))
    assert read_press(KINDS, Fill().custom_id, ["a:b", "%3A"]) == Fill("a:b", "%3A")
    assert read_press(KINDS, Fill().custom_id, ["a"]) == Fill("a", "-")


@pytest.mark.parametrize(
    ("press", "values"),
    [
        *((ChooseSize(7), values) for values in ([], [""], ["huge"], ["small", "large"])),
        *((ChoosePeople(), values) for values in ([""], ["1", "x"], [str(2**63)])),
        *((Fill(), values) for values in ([], ["a", "b", "c"])),
        (Order(7, None, Terms(5)), ["x"]),
    ],
)
def test_odd_choices_are_out_of_date(press: Press, values: list[str]) -> None:
    with pytest.raises(OutdatedPressError):
        read_press(KINDS, press.custom_id, values)


def test_a_press_too_long_for_a_button_says_so() -> None:
    fitting = Fill("n" * (100 - len(Fill("", "").custom_id)), "")
    assert len(fitting.custom_id) == 100
    too_long = Fill(fitting.name + "n", "")
    assert not too_long.fits
    with pytest.raises(ValueError, match="Fill"):
        too_long.custom_id  # noqa: B018
