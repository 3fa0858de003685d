"""The playground as people use it: a process with an address, and its page in a headless browser."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    expect,
)

from tests.support.thorough import THOROUGH
from tests.support.web.playground import Member, Playground
from tests.support.web.tapping import DESKTOP, PHONE
from tests.support.web.visitor import Visitor, phone, private_answers

#: Games on small boards, with turns of several elements or of one cell: an opening, the side that plays second after
#: it, and a turn of the other side.
GAMES = [("nadraz", 6, "d4,h8", "White", "e5"), ("dalen", 5, "e5", "Dark", "d4")]


def end_on_a_phone(visitor: Visitor, turn: str) -> None:
    """Play by form and by keys, resign, and look at the result."""
    visitor.become("Alice")
    visitor.play_by_form(turn)
    visitor.become("Bob")
    played = visitor.play_by_keys()
    visitor.resign()
    expect(visitor.button("More…")).to_have_count(0)
    last = visitor.public_messages.last
    expect(last).to_contain_text(re.compile(r"Alice.*wins", re.DOTALL))
    visitor.sees_board(last_turn=played)
    board = visitor.public_messages.locator(".gallery-item img").last.bounding_box()
    assert board is not None
    assert board["width"] > 240
    assert board["x"] >= 0
    assert board["x"] + board["width"] <= PHONE["width"]


def begin_at_a_desk(visitor: Visitor) -> None:
    """Start a match by commands and buttons. A refused turn is explained to its player only."""
    visitor.become("Alice")
    expect(visitor.page.locator(".component-thumbnail")).to_have_count(5)
    visitor.challenge_bob()
    visitor.become("Bob")
    visitor.press("Accept")
    visitor.sees_board()

    visitor.become("Alice")
    visitor.play("e5")
    visitor.become("Bob")
    visitor.choose_side("Light")
    visitor.begin_command("move")
    assert not any(text.startswith("e5") for text in visitor.suggested("turn", "e"))
    (reason,) = visitor.suggested("turn", "e5")
    assert "taken" in reason
    visitor.send()
    expect(private_answers(visitor)).to_have_count(1)
    expect(private_answers(visitor)).to_contain_text("e5", ignore_case=True)
    visitor.leave_command()
    visitor.play("e6")
    visitor.become("Alice")
    expect(private_answers(visitor)).to_have_count(0)
    visitor.sees_board(last_turn="e6")


def look_at_a_form(visitor: Visitor) -> None:
    """Change one menu of a form. The others keep their values."""
    visitor.become("Carol")
    for label in ("Start a game", "Dalen", "Change…"):
        visitor.press(label)
    menus = private_answers(visitor).last.locator(".select-trigger")
    shown = menus.all_inner_texts()
    menus.nth(shown.index("Game: Dalen")).click()
    visitor.page.get_by_role("option", name="Hedu").click()
    expect(menus).to_have_text([text.replace("Dalen", "Hedu") for text in shown if "Variant" not in text])


@pytest.mark.parametrize("restarted", [False, True] if THOROUGH else [False])
def test_friends_play_in_the_browser_and_continue_on_a_phone(browser: Browser, tmp_path: Path, restarted: bool) -> None:
    with ExitStack() as running:
        playground = running.enter_context(Playground(tmp_path))
        visitor = Visitor(browser.new_page(viewport=DESKTOP))
        visitor.open(playground.address)
        look_at_a_form(visitor)
        begin_at_a_desk(visitor)
        if restarted:
            running.close()
            playground = running.enter_context(Playground(tmp_path))
        visitor.page.close()
        visitor = phone(browser)
        visitor.open(playground.address)
        visitor.sees_board(last_turn="e6")
        # A restart during a game sends no welcome.
        expect(visitor.page.locator(".component-thumbnail")).to_have_count(0 if restarted else 5)
        expect(visitor.button("More…")).to_have_count(1)
        if THOROUGH:
            end_on_a_phone(visitor, "d5")


def test_two_presses_lead_from_a_card_to_a_tap_and_one_where_the_browser_knows_the_player(
    browser: Browser, tmp_path: Path
) -> None:
    with Playground(tmp_path) as playground:
        alice, bob = Member(playground, "Alice"), Member(playground, "Bob")
        alice.challenge("Bob", "dalen", 5)
        bob.press("Accept")
        visitor = phone(browser)
        visitor.open(playground.address)
        visitor.become("Alice")
        visitor.press("Tap the board")
        page = visitor.follow("Tap the board")
        page.locator(".c-e5").click()
        expect(page.locator(".bar")).to_contain_text("Play e5?")
        assert page.evaluate("history.length") == 1, "Back does not lead to a used link"
        page.close()
        page = visitor.follow("Watch")
        page.locator(".c-e6").click()
        expect(page.locator(".bar")).to_contain_text("Play e6?")
        visitor.become("Bob")
        way_in = visitor.follow("Watch").get_by_text("You play here?").get_by_role("link")
        assert way_in.get_attribute("href") == playground.address


@pytest.mark.skipif(not THOROUGH, reason="only the weekly run looks at more games in the browser")
@pytest.mark.parametrize(("game", "size", "opening", "side", "turn"), GAMES)
def test_two_matches_are_played_side_by_side(
    browser: Browser, tmp_path: Path, game: str, size: int, opening: str, side: str, turn: str
) -> None:
    with Playground(tmp_path) as playground:
        visitor = phone(browser)
        visitor.open(playground.address)
        visitor.become("Alice")
        visitor.challenge_bob(game, size)
        visitor.become("Bob")
        visitor.press("Accept")
        visitor.sees_board(f"{game.title()}, size {size}")
        visitor.become("Alice")
        visitor.play(opening)
        visitor.become("Bob")
        visitor.choose_side(side)

        visitor.become("Alice")
        visitor.challenge_bob("hedu")
        visitor.become("Bob")
        visitor.press("Accept")
        last = visitor.page.locator(".channel-message").last
        expect(last).to_contain_text("in a channel of its own")
        beside = Visitor(browser.new_page(viewport=DESKTOP))
        beside.open(last.locator("a").get_attribute("href") or "")
        beside.sees_board("Hedu, size 5")
        beside.become("Alice")
        beside.play("e5")
        beside.page.close()
        visitor.become("Bob")
        visitor.run("games")
        games = private_answers(visitor)
        expect(games).to_contain_text("#2 Hedu against Alice")
        expect(games).not_to_contain_text(re.compile(r"\bin \d\d"))  # the time of the last turn, not of the next
        expect(games.locator(".component-thumbnail")).to_have_count(2)
        visitor.press("Play #2")
        expect(games).to_contain_text("Match #2 · Hedu, size 5")
        end_on_a_phone(visitor, turn)
