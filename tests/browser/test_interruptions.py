"""Matches whose players lose their connection, their patience or the bot's process."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.thorough import THOROUGH
from tests.support.web.playground import Member, Playground, two_free_ports, until
from tests.support.web.tapping import DESKTOP, PHONE, Tapper

pytestmark = pytest.mark.skipif(not THOROUGH, reason="only the weekly run interrupts so much")

_PLAY_IT = ".bar [value='.end']"
_PICTURES = "**/board.png*"


class Table:
    """A match that Alice plays on its page and Bob on Discord."""

    def __init__(self, playground: Playground, browser: Browser) -> None:
        self.bob, self.host = Member(playground, "Bob"), Member(playground, "Alice")
        self.host.challenge("Bob", "dalen", 5)
        self.bob.press("Accept")
        self.context = browser.new_context(viewport=PHONE)
        self.alice = Tapper(self.context.new_page())
        self.alice.come(self.host)
        self.address = self.alice.page.url

    def another_tab(self) -> Page:
        page = self.context.new_page()
        page.goto(self.address)
        return page

    def turns(self) -> list[str]:
        return [*self.alice.record.turns]


def is_to_play(page: Page) -> None:
    expect(page.locator("#match")).to_have_attribute("data-title", r"● Your turn · Dalen · Alice vs Bob")


def test_a_match_goes_on_whatever_breaks(browser: Browser, tmp_path: Path) -> None:
    port = two_free_ports()
    with Playground(tmp_path, port) as killed:
        table = Table(killed, browser)
        hurry(table)
        lose_the_connection(table)
        hold_the_picture(table)
        page = table.alice.page
        table.alice.press("@c3")
        killed.kill()
        expect(page.locator("#lost")).to_be_visible()  # without any press
        page.locator(_PLAY_IT).click()
    with Playground(tmp_path, port) as playground:
        expect(page.locator("#lost")).to_be_hidden()
        is_to_play(page)
        expect(page.locator(".c-c3")).to_have_class("c-c3 open chosen")
        table.alice.press(".end")
        assert table.turns()[-1] == "c3"
        bob = Member(playground, "Bob")
        until(lambda: "Last turn: Dark on c3" in bob.board, "the turn on Discord")
        bob.run("move", turn="g4")
        expect(page.locator(".last")).to_contain_text("played g4")


def hurry(table: Table) -> None:
    """Press twice, in one tab and in two: it counts once, and each tab shows it."""
    page, other = table.alice.page, table.another_tab()
    page.locator(".c-e5").dblclick()
    expect(page.locator(_PLAY_IT)).to_be_visible()
    other.locator(".c-d4").click()
    expect(other.locator("#match .note")).to_have_text("You have continued elsewhere. Here is your turn:")
    expect(other.locator(_PLAY_IT)).to_be_visible()
    for tab in (page, other):
        tab.evaluate("query => { const one = document.querySelector(query); one.click(); one.click(); }", _PLAY_IT)
    for tab in (page, other):
        expect(tab.locator(".ask")).to_have_text("Bob is choosing a side.")
        expect(tab.locator("#match .note")).to_have_count(0)
    assert table.turns() == ["e5"]
    other.close()


def lose_the_connection(table: Table) -> None:
    """Lose the connection: the page says so, and later shows what it missed."""
    page = table.alice.page
    table.context.set_offline(True)
    expect(page.locator("#lost")).to_be_visible()
    table.bob.press("Play Light")
    table.bob.run("move", turn="e7")
    table.context.set_offline(False)
    expect(page.locator("#lost")).to_be_hidden()
    expect(page.locator(".last")).to_contain_text("played e7")
    is_to_play(page)


def hold_the_picture(table: Table) -> None:
    """Delay a picture: updates that arrive meanwhile are not lost."""
    page, held = table.alice.page, list[Route]()

    def hold_one(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    table.alice.press("@b2")
    page.route(_PICTURES, hold_one)
    with page.expect_request(_PICTURES):
        page.locator(_PLAY_IT).click()
    until(lambda: page.title() and held, "the picture")
    table.bob.run("move", turn="f6")
    until(lambda: table.turns()[-1] == "f6", "the turn")
    held[0].continue_()
    expect(page.locator(".last")).to_contain_text("played f6")
    is_to_play(page)


def test_a_page_without_script_that_is_behind_catches_up(browser: Browser, tmp_path: Path) -> None:
    with Playground(tmp_path) as playground:
        table = Table(playground, browser)
        context = browser.new_context(
            viewport=DESKTOP, java_script_enabled=False, storage_state=table.context.storage_state()
        )
        behind = context.new_page()
        behind.goto(table.address)
        behind.locator(".c-e5").click()
        expect(behind.locator(_PLAY_IT)).to_be_visible()
        table.host.run("move", turn="d4")
        table.bob.press("Play Dark")
        behind.locator(_PLAY_IT).click()
        expect(behind.locator("#match .note")).to_contain_text("moved on")
        expect(behind.locator(".last")).to_contain_text("chose Dark")
        behind.locator(".c-c3").click()
        behind.locator(_PLAY_IT).click()
        expect(behind.locator(".last")).to_contain_text("played c3")
        assert table.turns() == ["d4", "dark", "c3"]
        until(lambda: "Last turn: Light on c3" in table.bob.board, "the turn on Discord")
