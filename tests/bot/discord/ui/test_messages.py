"""Messages and forms that would be too long for Discord, and the people whom a message pings."""

from __future__ import annotations

from typing import Any

import discord
from simcord.components import COMPONENTS_V2_FLAG, validate_components, validate_modal

from bot.discord.ui.messages import (
    ActionButton,
    Aside,
    Form,
    Picture,
    compose,
    file_field,
    option_menu,
    text_field,
)
from bot.discord.ui.presses import Press
from bot.domain.players import Player
from tests.support.discord.cards import components_of


class Nothing(Press, action="nothing"):
    number: int


LONG = "x" * 5000


def test_a_card_that_is_too_long_is_cut() -> None:
    numbered = [ActionButton(Nothing(number), LONG) for number in range(7)]
    menu = option_menu(Nothing(7), {str(number): LONG for number in range(30)}, LONG, notes={"1": LONG})
    aside = Aside("text", Picture("a.png", b"", "description"), (numbered[0],))
    for components in ((LONG, "text"), ("text", Aside(LONG))):
        card = compose(aside, *components, menus=(menu,), buttons=tuple(numbered[1:]), footer="footer")
        validate_components(components_of(card), flags=COMPONENTS_V2_FLAG)
        texts = [item.content for item in card.view.walk_children() if isinstance(item, discord.ui.TextDisplay)]
        assert sum(map(len, texts)) == 4000
        assert texts[-1] == "-# footer"


def test_a_form_that_is_too_long_is_cut() -> None:
    fields = text_field("text", LONG, LONG, LONG, 100, paragraph=True), file_field("file", LONG, LONG)
    validate_modal(Form(Nothing(1), LONG, *fields).to_dict())


def test_an_edit_reads_no_mentions_out_of_names() -> None:
    allowed: Any = compose("@everyone <@7>", pings=(Player(1, "Alice"),)).allowed_mentions.to_dict()
    assert allowed == {"parse": [], "users": [1]}
