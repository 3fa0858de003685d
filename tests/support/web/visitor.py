"""A visitor of the playground's pages in a browser."""

from __future__ import annotations

import re
from contextlib import suppress

from playwright.sync_api import (
    Browser,
    Error,
    Locator,
    Page,
    Request,
    TimeoutError as PlaywrightTimeout,
    expect,
)

from tests.support.web.playground import SECONDS
from tests.support.web.tapping import PHONE

#: The timeout of an attempt in milliseconds, and the maximum number of attempts.
SHORTLY, ATTEMPTS = 3000, 20


class Visitor:
    """A visitor of the page, as Alice, Bob or Carol."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(SECONDS * 1000)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self._settle()

    def become(self, name: str) -> None:
        (chosen,) = self.page.locator("#viewer-picker").select_option(label=name)
        self._wait_until("id => String(window.simcordPreview.viewerId) === id", arg=chosen)
        self._settle()

    def reload(self) -> None:
        """Show the present messages, in case the page has missed a change."""
        self.page.reload()
        self._settle()

    def press(self, label: str) -> None:
        """Click until the page has sent the click. It drops or rejects clicks while it receives updates."""
        for _attempt in range(ATTEMPTS):
            answer = None
            with suppress(PlaywrightTimeout):
                with self.page.expect_request(sends_click, timeout=SHORTLY) as sent:
                    self.button(label).last.click()
                answer = sent.value.response()
            self._settle()
            if answer is not None and not answer.json()["rejected"]:
                return
        raise AssertionError(f"the page never took the click on {label!r}")

    def press_until(self, label: str, shown: Locator) -> None:
        """Press until the answer is shown. On a busy machine, it may come too late for the simulated Discord."""
        for _attempt in range(ATTEMPTS):
            self.press(label)
            with suppress(AssertionError):
                expect(shown).to_be_visible(timeout=4 * SHORTLY)
                return
        raise AssertionError(f"nothing answered {label!r}")

    def button(self, label: str) -> Locator:
        return self.page.get_by_role("button", name=re.compile(rf"^(\W+ )?{re.escape(label)}$"))  # after an emoji

    def begin_command(self, name: str) -> None:
        """Pick a command from the list that the message box shows after a slash."""
        self.page.locator("#channel-composer-input").fill(f"/{name}")
        self.page.locator(".command-entry", has=self.page.get_by_text(f"/{name}", exact=True)).click()
        expect(self.page.locator(".command-chip")).to_have_text(f"/{name}")

    def add_option(self, name: str) -> None:
        """Add an optional option."""
        self.page.locator(".command-ghost").click()
        self.choose(name)

    def suggested(self, option: str, typed: str) -> list[str]:
        """The suggestions for a text typed into an option. Type it again if they come too late."""
        state = "window.simcordPreview.commandPicker.autocomplete.state"
        for _attempt in range(ATTEMPTS):
            self.page.locator(f'.command-option-input[data-option="{option}"]').fill(typed)
            # The page drops requests while it receives updates, so it may keep loading.
            with suppress(PlaywrightTimeout):
                self._wait_until(f"() => {state} !== 'loading'", timeout=2 * SHORTLY)
            self._settle()
            if self.page.evaluate(state) == "answered":
                return self.page.locator(".command-suggestion").all_inner_texts()
        raise AssertionError(f"nothing was ever suggested for {typed!r}")

    def choose(self, value: str) -> None:
        """Pick the suggestion for a value."""
        self.page.locator(f'.command-suggestion[data-value="{value}"]').click()

    def send(self) -> None:
        # On a phone, a long description pushes the button out of sight, so use the key.
        self.page.locator(".command-chip").press("Enter")
        self._settle()

    def follow(self, label: str) -> Page:
        """Open a link to a match in another tab."""
        with self.page.context.expect_page() as opened:
            self.page.get_by_role("link", name=label).last.click()
        expect(opened.value.locator("#match")).to_be_visible()
        return opened.value

    def run(self, name: str) -> None:
        """Send a command without options."""
        self.begin_command(name)
        self.page.keyboard.press("Escape")  # closes the list of values for the first option
        self.send()

    def leave_command(self) -> None:
        """Clear the message box of a refused command."""
        chip = self.page.locator(".command-chip")
        if chip.is_visible():
            chip.press("Backspace")
        expect(chip).to_have_count(0)

    def challenge_bob(self, game: str = "dalen", size: int = 5) -> None:
        self.begin_command("challenge")
        self.choose(game)
        self.add_option("opponent")
        self.page.locator(".command-suggestion", has_text="Bob").first.click()
        self.add_option("size")
        assert self.suggested("size", str(size))[0].startswith(str(size))
        self.choose(str(size))
        self.add_option("first")
        self.choose("challenger")
        self.send()

    def choose_side(self, side: str) -> None:
        """Choose a side, and wait until it is stored and the buttons are gone."""
        for _attempt in range(ATTEMPTS):
            self.press(f"Play {side}")
            # On a busy machine, the answer may come too late for the simulated Discord.
            with suppress(AssertionError):
                expect(self.button(f"Play {side}")).to_have_count(0, timeout=4 * SHORTLY)
                return
        raise AssertionError(f"nobody could choose {side}")

    def play_by_keys(self) -> str:
        """Compose and play a turn on the private card, always with its first key, and return the turn."""
        card = private_answers(self).last
        key, board = card.locator(".component-button").first, card.locator(".gallery-item img")
        self.press_until("Without the page", key)
        label = ""
        for _attempt in range(ATTEMPTS):
            self._settle()
            label = (key.text_content() or "").strip()
            if label.startswith("Play "):
                break
            shown = board.get_attribute("src") or ""
            # The page takes no clicks while it changes, so click again.
            with suppress(Error, AssertionError):
                key.click(timeout=SHORTLY)
                expect(board).not_to_have_attribute("src", shown, timeout=4 * SHORTLY)
        turn = label.removeprefix("Play ")
        for _attempt in range(ATTEMPTS):
            with suppress(Error):  # the click may have counted, and the card is gone
                key.click(timeout=SHORTLY)
            with suppress(AssertionError):
                self.sees_board(last_turn=turn, timeout=4 * SHORTLY)
                return turn
        raise AssertionError(f"the keys never played {turn!r}")

    def resign(self) -> None:
        for label in ("More…", "Resign…", "Yes, resign"):
            self.press(label)

    def play_by_form(self, turn: str) -> None:
        dialog = self.page.get_by_role("dialog")
        field, submit = dialog.get_by_role("textbox"), self.page.get_by_role("button", name="Submit", exact=True)
        for _attempt in range(ATTEMPTS):
            if not field.is_visible():
                if not self.button("Type it").count():  # few turns are legal, so the card offers all of them
                    self.press_until("Without the page", self.button("Type it"))
                self.press_until("Type it", field)
            field.fill(turn)
            # The page drops forms, like clicks, while it receives updates.
            with suppress(Error, AssertionError):
                submit.click(timeout=SHORTLY)
                self.sees_board(last_turn=turn, timeout=8 * SHORTLY)
                return
        raise AssertionError(f"the form never played {turn!r}")

    def play(self, turn: str) -> None:
        """Play a cell by a command, after checking that it is suggested as a legal turn."""
        self.begin_command("move")
        offered = self.suggested("turn", turn[:-1])
        assert len(offered) > 1
        assert any(text.startswith(turn) for text in offered)
        self.choose(turn)
        self.send()
        self.sees_board(last_turn=turn)

    def sees_board(self, begins: str = "", *, last_turn: str = "", timeout: float = SECONDS * 1000) -> None:
        """Check that the newest board is drawn, and that its words begin so and name a cell of the last turn."""
        board = self.public_messages.locator(".gallery-item img").last
        cells = "|".join(re.findall(r"[a-z]\d+", last_turn))  # a key may show an arrow before its cell
        last_turn = rf"Last turn:[^.]*\b(?:{cells})\b" if cells else ""  # g6 and g7 are g6-7
        words = re.compile(rf"^{begins}.*{last_turn}" if begins or last_turn else r"\S")
        expect(board).to_have_attribute("alt", words, timeout=timeout)
        board.scroll_into_view_if_needed()
        self._wait_until("() => [...document.querySelectorAll('.gallery-item img')].at(-1).naturalWidth > 500")

    @property
    def public_messages(self) -> Locator:
        return self.page.locator(".channel-message", has_not=self.page.get_by_text("Only you can see this"))

    def _settle(self) -> None:
        self._wait_until("() => window.simcordPreview && window.simcordPreview.ready")

    def _wait_until(self, condition: str, *, arg: str | None = None, timeout: float = SECONDS * 1000) -> None:
        # By default, Playwright polls at every frame, and Chromium would draw sixty frames a second.
        self.page.wait_for_function(condition, arg=arg, timeout=timeout, polling=50)


def sends_click(request: Request) -> bool:
    return request.method == "POST" and '"kind":"click"' in (request.post_data or "")


def private_answers(visitor: Visitor) -> Locator:
    return visitor.page.locator(".channel-message", has=visitor.page.get_by_text("Only you can see this"))


def phone(browser: Browser) -> Visitor:
    return Visitor(browser.new_page(viewport=PHONE, is_mobile=True, has_touch=True))
