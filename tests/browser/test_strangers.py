"""Strangers who meet and play, each on a server or in a conversation of their own; one taps the board on its page."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import rules
from tests.support.thorough import THOROUGH
from tests.support.web.playground import Member, Playground
from tests.support.web.random_play import play_between
from tests.support.web.tapping import PHONE, Tapper
from tests.support.web.visitor import Visitor, phone

#: The number of turns on a push. The weekly run plays whole games.
_TURNS = 3


def ask_for_opponents(visitor: Visitor) -> None:
    visitor.run("play")
    for label in ("Play anyone", "Find me opponents"):
        visitor.press(label)


def check_home(visitor: Visitor, name: str, *, to_act: str, server: str) -> None:
    """Check that a player has one card at home, and one ping if it is their turn, and reads no other server's name."""
    visitor.reload()
    expect(visitor.button("More…")).to_have_count(1)
    last = visitor.public_messages.last
    expect(last.locator(".mention")).to_have_text([f"@{name}"] if name == to_act else [])
    assert visitor.public_messages.get_by_text("it is your turn").count() <= 1
    assert server not in last.inner_text()


@pytest.mark.parametrize(("name", "link"), [("Dora", "Northgrove"), *([("Carol", "Carol")] if THOROUGH else [])])
def test_strangers_meet_and_each_plays_at_home(browser: Browser, tmp_path: Path, name: str, link: str) -> None:
    chance = random.Random(name)
    with Playground(tmp_path) as playground:
        here, there = phone(browser), phone(browser)
        here.open(playground.address)
        elsewhere = here.page.get_by_role("link", name=link, exact=True).get_attribute("href") or ""
        there.open(elsewhere)
        for visitor in (here, there):
            ask_for_opponents(visitor)
        for visitor in (here, there):
            visitor.sees_board("Dalen, size 7")

        alice = Tapper(browser.new_page(viewport=PHONE))
        alice.come(Member(playground, "Alice"))
        opponent = Member(playground, name, elsewhere)
        for count in play_between(alice, opponent, rules.ruleset("dalen", 7), chance):
            if count <= _TURNS:
                to_act = "Alice" if alice.is_to_play else name
                check_home(here, "Alice", to_act=to_act, server="Northgrove")
                check_home(there, name, to_act=to_act, server="Southgrove")
            if count == _TURNS and not THOROUGH:
                there.resign()
                break
        assert "Northgrove" not in alice.page.content()
        for visitor in (here, there):
            visitor.reload()
            expect(visitor.public_messages.last).to_contain_text(re.compile(r"wins|draw", re.DOTALL))
            expect(visitor.button("Rematch")).to_have_count(1)
