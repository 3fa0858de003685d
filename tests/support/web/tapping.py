"""Players on a match's page in a browser: with fingers, with keys alone, or without scripts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from rules.record import Record
from tests.support.web.playground import SECONDS, Member, until

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DESKTOP, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)

#: The keys of the six directions, in the order of a cell's neighbours.
_KEYS = "wedsaq"
#: The maximum number of targets on a page.
_TARGETS = 400
_SEEN = """() => {
    const all = (query) => [...document.querySelectorAll(query)].filter((one) => one.checkVisibility());
    const value = (name) => document.querySelector(`.play input[name=${name}]`).value;
    return {
        title: document.title, step: value("step") * 1, draft: value("draft"), begun: value("begun"),
        cells: all(".cells button").map((one) => one.value.slice(1)),
        open: all(".cells button.open").map((one) => one.value.slice(1)),
        chosen: all(".cells button.chosen").map((one) => one.value.slice(1)),
        coarse: all(".near a").map((one) => one.classList[0].slice(2)),
        bar: all(".bar button").map((one) => one.value),
        notes: all("#match .note, #match .bubble").map((one) => one.textContent),
        words: document.querySelector(".board img").alt,
    };
}"""
_ANSWERED = """() => {
    const match = document.querySelector("#match");
    return !document.querySelector("#lost").hidden || (match !== window.shown && !match.dataset.sent);
}"""
_WAY = """([from, to]) => {
    const beside = (name) => document.querySelector(`.c-${name}`)?.dataset.beside.split(",") ?? [];
    const ways = new Map([[from, []]]);
    for (const [name, way] of ways)
        beside(name).forEach((next, key) => next && !ways.has(next) && ways.set(next, [...way, key]));
    return ways.get(to);
}"""


#: Features for which Chromium starts processes with every window and which no test needs: suggestions in the address
#: bar, a spare renderer, and a renderer for each site.
_NEEDLESS = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",
    "IsolateOrigins",
    "site-per-process",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    args = [
        "--disable-gpu",
        "--disable-background-networking",
        f"--disable-features={','.join(_NEEDLESS)}",  # replaces Playwright's list
        "--renderer-process-limit=1",  # per context
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost",
    ]
    if os.geteuid() == 0:
        args.append("--no-sandbox")  # Chromium's sandbox does not work for root
    expect.set_options(timeout=SECONDS * 1000)
    with sync_playwright() as started, started.chromium.launch(executable_path=CHROMIUM, args=args) as launched:
        yield launched


class Tapper:
    """A player who taps the board on a match's page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def come(self, member: Member) -> None:
        """Enter from Discord by the private link."""
        member.press("Tap the board")
        door = until(lambda: [part["url"] for part in member.parts(2) if "/in/" in part.get("url", "")], "a link")
        self.page.goto(door[-1], wait_until="commit")  # the page goes on by itself
        self.enter()
        self.page.wait_for_url("**/m/*")  # until it is loaded

    def enter(self) -> None:
        """Do what a personal link asks for: nothing."""

    @property
    def seen(self) -> dict[str, Any]:
        """What the page currently shows and offers."""
        seen: dict[str, Any] = self.page.evaluate(_SEEN)
        return seen

    @property
    def is_to_play(self) -> bool:
        return self.page.title().startswith("● Your turn")

    @property
    def record(self) -> Record:
        page = urlsplit(self.page.url)
        with urlopen(f"http://127.0.0.1:{page.port}{page.path}/record.txt", timeout=SECONDS) as answer:
            return Record.parse(answer.read().decode())

    def press(self, value: str) -> None:
        """Press a button of the turn form by its value, and wait until the page has answered."""
        self.go(f".c-{value[1:]}" if value.startswith("@") else f".bar [value='{value}']")

    def magnify(self, name: str) -> None:
        """Press a coarse cell."""
        self.go(f".near .n-{name}")

    def go(self, selector: str) -> None:
        """Press a link or button that leads to another view of the match."""
        self.page.evaluate("window.shown = document.querySelector('#match')")
        self.hit(selector)
        self.page.wait_for_function(_ANSWERED, polling=20)
        expect(self.page.locator("#lost")).to_be_hidden()

    def hit(self, selector: str) -> None:
        self.page.locator(selector).click()

    def dismiss(self) -> None:
        """Dismiss the message about a refused cell, which may cover other cells."""
        bubble = self.page.locator(".bubble")
        if bubble.is_visible():
            bubble.locator("span").click(position={"x": 2, "y": 2})
            expect(bubble).to_have_count(0)


class Typist(Tapper):
    """A player with only a keyboard."""

    def hit(self, selector: str) -> None:
        if selector.startswith(".c-"):
            self._reach(".cells [tabindex='0']")
            here = self.page.evaluate("document.activeElement.classList[0].slice(2)")
            for key in self.page.evaluate(_WAY, [here, selector.removeprefix(".c-")]):
                self.page.keyboard.press(_KEYS[key])
            assert self.page.evaluate("document.activeElement.classList[0]") == selector[1:]
        else:
            self._reach(selector)
        self.page.keyboard.press("Enter")

    def dismiss(self) -> None:
        self.page.keyboard.press("Escape")
        expect(self.page.locator(".bubble")).to_have_count(0)

    def _reach(self, selector: str) -> None:
        """Move the focus from target to target until this one has it."""
        for _ in range(_TARGETS):
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no key leads to {selector}")


class Reader(Tapper):
    """A player whose browser runs no scripts."""

    def enter(self) -> None:
        self.page.get_by_role("button", name="Continue as").click()

    @property
    def is_to_play(self) -> bool:
        self.page.goto(self.page.url.partition("?")[0])
        return super().is_to_play

    def go(self, selector: str) -> None:
        with self.page.expect_navigation():
            self.hit(selector)

    def dismiss(self) -> None:
        if self.page.locator(".bubble").is_visible():
            self.go(".bubble .shut")
