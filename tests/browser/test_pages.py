"""The pages of matches in a real browser: touch, keyboard, layout and accessibility."""

from __future__ import annotations

import asyncio
import re
import threading
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, ViewportSize, expect

import rules
from bot.domain.clocks import TimeControl
from bot.domain.matches import Match
from bot.domain.places import Place
from bot.domain.players import Player
from bot.storage import Database, address_of
from bot.web.board.boards import LEAST
from tests.support.games import WHOLE_GAME
from tests.support.render import coarse_drawing
from tests.support.services.matches import ALICE, BOB, CAROL, Clock, play_turn, start
from tests.support.thorough import THOROUGH, fewer, sample
from tests.support.web.activity import activity_on
from tests.support.web.crawl import PART, Reader, Target
from tests.support.web.pages import store_review
from tests.support.web.playground import SECONDS
from tests.support.web.tapping import DESKTOP, PHONE

NARROW = ViewportSize(width=320, height=568)
SMALL, LARGE = ViewportSize(width=360, height=740), ViewportSize(width=3840, height=2160)
_R = TypeVar("_R")
weekly = pytest.mark.skipif(not THOROUGH, reason="only the weekly run looks at everything in the browser")


@dataclass
class Served:
    """The pages, served by a thread with its own event loop while the tests drive the browser."""

    browser: Browser
    file: Path
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    clock: Clock = field(default_factory=Clock)
    channels: Iterator[int] = field(default_factory=partial(count, 100))
    #: Open windows by person and browser options, because opening one costs more than most tests.
    windows: dict[tuple[object, ...], Page] = field(default_factory=dict)

    def run(self, work: Coroutine[Any, Any, _R]) -> _R:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(SECONDS)

    async def open(self) -> None:
        database = Database(address_of(self.file))
        self.stack.push_async_callback(database.close)
        await database.migrate()
        self.site, self.discord = await self.stack.enter_async_context(activity_on(database, self.clock, ALICE, BOB))

    def match(self, *turns: str, game: str = "dalen", size: int = 5, control: TimeControl | None = None) -> Match:
        """Start a match in its own channel."""
        place, ruleset = Place(1, next(self.channels)), rules.ruleset(game, size)
        return self.run(start(self.site.services.matches, place=place, turns=turns, ruleset=ruleset, control=control))

    def play(self, match: Match, player: Player, turn: str) -> None:
        self.run(play_turn(self.site.services.matches, match.id, player.id, turn))

    def address(self, match: Match) -> str:
        return self.site.base + self.run(self.site.path(match))

    def door(self, player: Player, match: Match) -> str:
        return f"{self.site.base}/in/{self.run(self.site.services.doors.invite(player, match.id))}"

    def visit(self, player: Player, match: Match, size: ViewportSize, scheme: Any = "light", **options: Any) -> Page:
        """The window of a player who has entered a match from Discord."""
        page = self.window(player, size, scheme, **options)
        page.goto(self.door(player, match), wait_until="commit")  # the page goes on by itself
        if "/in/" in page.url and not options.get("java_script_enabled", True):
            page.get_by_role("button", name=f"Continue as {player.name}").click()
        expect(page.locator("#match")).to_be_visible()
        return page

    def window(self, player: Player | None, size: ViewportSize, scheme: Any = "light", **options: Any) -> Page:
        """The window of a player, or of a stranger. It may still show a page of another test."""
        key = (player, *sorted(options.items()))
        page = self.windows.get(key)
        if page is None or page.is_closed():
            page = self.windows[key] = self.browser.new_context(**options).new_page()
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        page.set_extra_http_headers({})
        return page


@pytest.fixture(scope="module", autouse=True)
def coarse_pictures() -> Iterator[None]:
    with coarse_drawing():
        yield


@pytest.fixture(scope="module")
def served(launched: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(launched, tmp_path_factory.mktemp("pages") / "pages.db")
    thread = threading.Thread(target=served.loop.run_forever)
    thread.start()
    try:
        served.run(served.open())
        yield served
        for context in launched.contexts:
            context.close()
        served.run(served.stack.aclose())
    finally:
        served.loop.call_soon_threadsafe(served.loop.stop)
        thread.join()
        served.loop.close()


def cell(page: Page | FrameLocator, name: str) -> Locator:
    return page.locator(f".cells .c-{name}")


def is_to_play(page: Page) -> None:
    expect(page).to_have_title(re.compile("^● Your turn"))


def play(page: Page | FrameLocator, name: str) -> None:
    """Choose a cell and play it."""
    cell(page, name).click()
    page.get_by_role("button", name="Play it").click()


def last_turn(page: Page | FrameLocator, text: str) -> None:
    """Wait until the page shows this text about the last turn."""
    expect(page.locator(".last").last).to_contain_text(text)


def test_two_people_play_by_tapping(served: Served) -> None:
    match = served.match("e5", "dark")
    alice, bob = served.visit(ALICE, match, PHONE), served.visit(BOB, match, DESKTOP)
    for name, page, other in (("d4", alice, bob), ("c3", bob, alice), ("b3", alice, bob)):
        is_to_play(page)
        play(page, name)
        last_turn(other, f"played {name}")
        is_to_play(other)
    cell(bob, "e5").click()
    expect(bob.locator(".bubble")).to_contain_text("e5 is taken by a dark stone. Rules")


def double(page: Page, name: str) -> None:
    """Tap a cell again at the moment in which the page shows the answer to the first tap."""
    page.evaluate(
        """(cell) => {
            const shown = new MutationObserver(() => document.querySelector(cell).click());
            shown.observe(document.body, { childList: true });
            document.querySelector(cell).click();
        }""",
        f".cells .c-{name}",
    )


def test_a_second_tap_plays_the_chosen_cell_but_a_double_tap_does_not(served: Served) -> None:
    match = served.match("e5", "dark")
    alice = served.visit(ALICE, match, PHONE)
    alice.clock.install(time=0)  # for good
    alice.clock.pause_at(60)
    presses = list[str]()
    alice.on("request", lambda request: presses.extend(["cell"] if request.method == "POST" else []))
    double(alice, "d4")
    expect(alice.locator(".ask")).to_have_text("Play d4?")
    alice.clock.run_for(399)
    cell(alice, "d4").click()
    assert len(presses) == 1
    alice.clock.run_for(1)
    cell(alice, "d4").click()
    last_turn(alice, "played d4")
    assert len(presses) == 2
    alice.context.close()


def test_a_marked_board_fits_the_window_with_its_explanation_and_is_tapped_on(served: Served) -> None:
    match = served.match("e5", "black", game="hedu", size=5)
    alice = served.visit(ALICE, match, DESKTOP)
    for marks in ("legal", "regions"):
        alice.goto(f"{served.address(match)}?marks={marks}")
        alice.locator(".board img").evaluate("image => image.decode()")
        for explanation in (".board img", ".legend"):
            box = alice.locator(explanation).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= DESKTOP["height"]
        cell(alice, "d4").click()
        expect(alice.get_by_role("button", name="Play it")).to_be_visible()
        expect(alice.locator(".marked")).to_be_visible()
        alice.get_by_role("button", name="Back").click()
        expect(alice.locator("[name=draft]")).to_have_value("")


def test_the_keyboard_alone_plays_a_turn(served: Served) -> None:
    alice = served.visit(ALICE, served.match("e5", "dark"), DESKTOP)
    stop = alice.locator('.cells [tabindex="0"]')
    expect(stop).to_have_count(1)
    stop.focus()
    reached = ""
    for key in ("ArrowUp", "ArrowUp", "E", "s", "ArrowLeft"):
        before = reached
        alice.keyboard.press(key)
        reached = alice.evaluate("document.activeElement.value")
        assert reached != before, key
    alice.keyboard.press("Enter")
    play = alice.get_by_role("button", name="Play it")
    expect(play).to_be_visible()
    while alice.evaluate("document.activeElement.value") != ".end":
        alice.keyboard.press("Tab")
    alice.keyboard.press("Enter")
    last_turn(alice, f"played {reached[1:]}")


def test_everything_works_without_script(served: Served) -> None:
    alice = served.visit(ALICE, served.match("e5", "dark"), PHONE, java_script_enabled=False)
    play(alice, "d4")
    last_turn(alice, "played d4")
    alice.get_by_label("One turn back").click()
    expect(alice.locator(".bar")).to_contain_text("chose Dark")


@pytest.mark.parametrize(("game", "size"), sample([("nadraz", 14), ("dalen", 7), ("dendria", 9)], every=3))
def test_every_target_on_a_small_phone_is_large_enough_for_fingers(served: Served, game: str, size: int) -> None:
    match = served.match(game=game, size=size)
    alice = served.visit(ALICE, match, SMALL)
    if size > 7:
        check_targets(alice)
        alice.locator(".near a").nth(3).click()
        expect(alice.get_by_role("link", name="Whole board")).to_be_visible()
    check_targets(alice)
    name = alice.locator(".cells .open").nth(7).get_attribute("value")
    assert name is not None
    cell(alice, name[1:]).click()
    expect(alice.locator(".bar")).to_contain_text("Play" if game != "nadraz" else "White")


def test_whoever_sees_parts_of_a_large_board_reads_that_a_tap_enlarges_them(served: Served) -> None:
    alice = served.visit(ALICE, served.match(game="nadraz", size=14), SMALL)
    seen = set[bool]()
    for width, height in (
        *((360, 740), (768, 1024), (820, 1180), (844, 390), (1024, 768), (1100, 1000)),
        *((1280, 800), (1280, 1000), (1440, 900), (1920, 1080)),
    ):
        alice.set_viewport_size(ViewportSize(width=width, height=height))
        parts = alice.locator(".near").is_visible()
        assert alice.locator(".zoom").is_visible() is parts, (width, height)
        seen.add(parts)
    assert seen == {True, False}


@weekly
def test_fingers_study_a_match(served: Served) -> None:
    over = served.match(*WHOLE_GAME)
    served.run(store_review(served.site, over, 7))
    alice = served.visit(ALICE, over, SMALL)
    alice.get_by_role("link", name="Review").click()
    check_targets(alice)
    alice.locator(".spans a").nth(1).click()
    expect(alice.locator(".ask")).to_contain_text("played h9")
    alice.get_by_role("link", name="The better turn").click()
    expect(alice.locator(".ask")).to_contain_text("Better:")
    alice.get_by_role("link", name="Try from here").click()
    expect(alice).to_have_title(re.compile("^Trying out turns"))
    check_targets(alice)
    for name in ("d4", "f4"):
        cell(alice, name).click()
        last_turn(alice, f"played {name}")
    alice.get_by_label("One turn back").click()
    last_turn(alice, "played d4")
    cell(alice, "e5").click()
    last_turn(alice, "played e5")


def press(page: Page, target: Target) -> bool:
    """Press a link or a button if it is visible, and return whether it was."""
    page.evaluate("window.shown = document.querySelector('#said') ?? document.querySelector('#match')")
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    wanted = "a" if target.fields is None else "button"
    name, value = ("href", target.address) if target.fields is None else ("value", target.fields.get("press", ""))
    found = page.locator(f'{wanted}[{name}="{value}"]:not([aria-disabled]):visible')
    if not found.count():
        return False
    found.first.click()
    # A bubble is closed in its place, so the rest of the page stays.
    page.wait_for_function("() => !window.shown?.isConnected", polling=20)
    page.wait_for_load_state("domcontentloaded")
    return True


def test_every_link_and_button_leads_where_it_says(served: Served) -> None:
    over, playing = served.match(*WHOLE_GAME), served.match("e5", "dark", "d4", "c3")
    large, base = served.match("e8,f12", "white", game="nadraz", size=14), served.site.base
    served.run(store_review(served.site, over, 7))
    alice, seen = served.visit(ALICE, playing, PHONE), Counter[str]()
    matches = sample((playing, large, over), every=2)
    starts = [served.address(match).removeprefix(base) for match in matches]
    waiting: list[tuple[str, list[Target]]] = [(path, []) for path in ("/learn/hedu/10", *starts)]
    while waiting:
        start, way = waiting.pop(0)
        alice.goto(base + start)
        if not all(press(alice, target) for target in way):
            continue
        if way and way[-1].fields is None:
            asked = way[-1].address
            assert alice.url == base + asked or asked.startswith("/puzzle/next"), (
                f"{alice.url} after {asked} of {start}"
            )
            start, way = alice.url.removeprefix(base), []
        elif way and start.startswith("/m/"):
            continue  # targets after a press are reached by other ways too
        page = alice.content()
        for target in Reader(page).targets if PART in page else ():
            asks = target.part and (target.fields is None or "press" in target.fields)
            if asks and seen[target.kind] < fewer(5, 5):
                seen[target.kind] += 1
                waiting.append((start, [*way, target]))


def check_targets(page: Page | Locator) -> None:
    targets = page.locator("button:visible, a:visible, summary:visible")
    measure = "all => all.map(target => [target.getBoundingClientRect(), target.outerHTML])"
    measured = targets.evaluate_all(measure)
    assert measured
    for box, target in measured:
        assert min(box["width"], box["height"]) >= LEAST - 0.5, (target, box)


def test_a_refusal_is_explained_beside_its_cell(served: Served) -> None:
    corners = ("a1", "i5", "e1", "i9", "a5", "e9")
    match = served.match("e5", "dark", *corners)
    alice = served.visit(ALICE, match, SMALL)
    bubble = alice.locator(".bubble")
    for name in ("e5", *sample(corners, every=3)):
        cell(alice, name).click()
        expect(bubble).to_contain_text(re.compile(f"^{name} is taken by a (dark|light) stone. Rules"))
        box, at = bubble.bounding_box(), cell(alice, name).bounding_box()
        assert box is not None
        assert at is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= SMALL["width"]
        assert 0 <= box["y"] <= box["y"] + box["height"] <= SMALL["height"]
        gap = max(box["y"] - at["y"] - at["height"], at["y"] - box["y"] - box["height"])
        assert 0 <= gap < at["height"], "the bubble is not beside its cell, or covers it"
        check_targets(bubble)
        expect(cell(alice, name)).to_be_focused()
        assert cell(alice, name).get_attribute("aria-describedby") == bubble.get_attribute("id")
        alice.keyboard.press("Escape")
        expect(bubble).to_have_count(0)
    cell(alice, "e5").click()
    bubble.get_by_label("Close").click()
    expect(bubble).to_have_count(0)
    expect(alice.locator(".ask")).to_have_text("Where do you play?")


def test_a_watchers_browser_requests_only_the_picture_of_a_new_turn(served: Served) -> None:
    match = served.match("e5", "dark")
    alice, watcher = served.visit(ALICE, match, PHONE), served.window(None, PHONE)
    with watcher.expect_response("**/live"):
        watcher.goto(served.address(match))
    asked = set[str]()
    watcher.on("request", lambda request: asked.add(request.url))
    play(alice, "d4")
    last_turn(watcher, "played d4")
    (picture,) = (url for url in asked if not url.endswith(".svg"))  # Chromium may load the tab's icon late
    assert "/board.png?" in picture


@weekly
def test_two_people_share_a_browser_at_host_names_of_their_own(served: Served) -> None:
    match = served.match("e5", "dark")
    pages = {}
    with closing(served.browser.new_context(viewport=DESKTOP)) as context:
        for player in (ALICE, BOB):
            page = pages[player] = context.new_page()
            address = served.door(player, match).replace("127.0.0.1", f"{player.name.lower()}.localhost")
            page.goto(address, wait_until="commit")
            page.wait_for_url("**/m/*")
        play(pages[ALICE], "d4")
        is_to_play(pages[BOB])


@pytest.mark.parametrize("language", sample(["es-ES", "de-DE", "en-GB"], every=3))
def test_nothing_is_wider_than_a_small_phone(served: Served, language: str) -> None:
    match, address = served.match("e5", "dark", "d4"), served.site.base
    bob = served.visit(BOB, match, NARROW)
    bob.set_extra_http_headers({"Accept-Language": language})
    here = served.address(match)
    on_match = (here, f"{here}?ply=1", f"{here}?marks=legal", f"{here}/try")
    others = (f"{address}{path}" for path in ("", "/rules", "/learn/hedu/1", "/puzzle", "/nothing", "/rules/dendria"))
    for where in sample((*on_match, *others), every=2):
        bob.goto(where)
        assert bob.evaluate("document.documentElement.lang") == language[:2]
        bob.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
        assert bob.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], where


@weekly
def test_marks_about_a_cell_are_chosen_by_tapping_it(served: Served) -> None:
    match = served.match("e6,h8", "white", game="nadraz", size=6)
    watcher = served.window(None, PHONE, java_script_enabled=False)
    watcher.goto(served.address(match))
    watcher.locator("summary", has_text="Show on the board").click()
    watcher.get_by_role("link", name="Where snakes can grow").click()
    expect(watcher.locator(".bar")).to_contain_text("A ring marks a head, tail or egg")
    all_cells = watcher.locator(".board img").get_attribute("src")
    cell(watcher, "e6").click()
    expect(watcher.locator(".bar .legend")).to_contain_text("Where snakes can grow · e6")
    assert watcher.locator(".board img").get_attribute("src") != all_cells
    check_targets(watcher)
    watcher.get_by_role("link", name="Hide").click()
    expect(watcher.locator(".cells")).to_have_count(0)


@weekly
def test_the_clock_ticks(served: Served) -> None:
    control = TimeControl.banks_of(timedelta(minutes=10))
    match = served.match("e5", "dark", control=control)
    alice = served.visit(ALICE, match, PHONE)
    expect(alice.locator(".runs dd")).to_have_text(re.compile("^9:5"))
    expect(alice.locator(".clocks :not(.runs) > dd")).to_have_text("10:00")


def test_an_open_page_shows_the_time_that_is_left_after_a_sleep(served: Served) -> None:
    control = TimeControl.banks_of(timedelta(days=3))
    match = served.match("e5", "dark", control=control)
    with closing(served.browser.new_context(viewport=PHONE)) as context:
        watcher = context.new_page()
        watcher.clock.install()
        watcher.goto(served.address(match))
        running = watcher.locator(".runs dd")
        expect(running).to_have_text("3 days")
        for slept, left in (
            (timedelta(hours=36), "1 day 12 hours"),
            (timedelta(hours=35), "1:00:00"),
            (timedelta(minutes=20), "40:00"),
        ):
            served.clock.now += slept
            watcher.clock.fast_forward(int(slept.total_seconds() * 1000))
            expect(running).to_have_text(left)


@weekly
def test_a_waiting_page_requests_its_match_once_when_the_time_is_up(served: Served) -> None:
    control = TimeControl.banks_of(timedelta(minutes=1))
    match = served.match("e5", "dark", control=control)
    served.clock.now += timedelta(seconds=58)
    bob, asked = served.visit(BOB, match, PHONE), list[str]()
    bob.clock.install()  # for good
    bob.reload()
    expect(bob.locator(".runs dd")).to_have_text(re.compile("0:0[12]"))
    bob.on("request", lambda request: asked.append(request.url))
    served.clock.now += timedelta(seconds=2)
    bob.clock.run_for(4000)
    expect(bob.get_by_role("button", name="Claim the win")).to_be_visible()
    bob.clock.run_for(10_000)
    assert [url.partition("?")[0] for url in asked if "board.png" not in url].count(served.address(match)) == 1
    bob.context.close()


@pytest.mark.parametrize(
    ("scheme", "size"),
    sample([(scheme, size) for scheme in ("dark", "light") for size in (PHONE, DESKTOP, SMALL, LARGE)], every=8),
)
def test_no_page_has_an_accessibility_fault(served: Served, scheme: Any, size: ViewportSize) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    match, over = served.match("e5", "dark", "d4", "c3"), served.match(*WHOLE_GAME)
    marked = served.match("e6,h8", "white", game="nadraz", size=6)
    door, address = served.door(ALICE, match), served.address(match)
    alice, stranger = served.visit(ALICE, match, size, scheme), served.window(None, size, scheme)
    served.run(store_review(served.site, over, 7))
    puzzle = served.run(served.site.services.puzzles.today())
    assert puzzle is not None
    studied = ("/learn", "/learn/dalen", "/learn/fiodar/10", "/learn/dalen/done", "/puzzle", f"/puzzle/{puzzle.key}")
    visits = [
        *((alice, f"{served.site.base}{path}") for path in studied),
        (alice, f"{address}/try"),
        (alice, f"{served.address(over)}/review"),
        (alice, f"{served.address(over)}/review?ply=7"),
        (alice, served.site.base),
        (alice, address),
        (alice, f"{address}?ply=1"),
        (alice, f"{address}?marks=legal"),
        (alice, f"{served.address(marked)}?marks=growth&on=e6"),
        (alice, served.address(over)),
        (alice, f"{served.site.base}/rules/hedu"),
        (stranger, served.site.base),
        (stranger, f"{served.site.base}/nothing"),
        (stranger, door),
        (stranger, address),
    ]
    for page, where in sample(visits if size is PHONE else visits[1:], every=5):
        page.goto(where)
        page.evaluate(axe.axe_script)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)")
        assert not found, [(fault["id"], fault["nodes"][0]["target"]) for fault in found]


def test_a_page_with_tried_turns_receives_updates_of_the_match_again(served: Served) -> None:
    match = served.match("e5", "dark")
    alice = served.visit(ALICE, match, DESKTOP)
    alice.goto(f"{served.address(match)}/try")
    cell(alice, "d4").click()
    alice.get_by_role("button", name="Use d4").click()
    alice.get_by_role("button", name="Play it").click()
    expect(alice.locator(".ask")).to_have_text("Bob's turn (Dark).")
    served.play(match, BOB, "c4")
    is_to_play(alice)


def test_the_last_turns_are_shown_once_more_unless_motion_is_unwelcome(served: Served) -> None:
    match = served.match("e5", "dark", "d4", "c3")
    alice, past = served.visit(ALICE, match, PHONE), "document.querySelectorAll('.past').length"
    served.run(served.site.services.matches.resign(match.id, BOB.id, seen_step=4))
    alice.wait_for_function(f"() => {past} === 1", polling=20)
    expect(alice.locator(".ask")).to_contain_text("You win!")
    alice.wait_for_function(f"() => {past} === 0", polling=20)
    loaded: list[str] = []
    alice.on("request", lambda request: loaded.append(request.url))
    alice.emulate_media(reduced_motion="reduce")
    alice.reload()
    alice.locator(".board img").evaluate("image => image.decode()")
    assert not [url for url in loaded if "ply=" in url]
    alice.emulate_media(reduced_motion="no-preference")


def test_a_review_begins_when_it_is_opened(served: Served) -> None:
    match = served.match(*WHOLE_GAME)
    alice = served.visit(ALICE, match, PHONE)
    alice.get_by_role("link", name="Review").click()
    expect(alice.locator(".ask")).to_contain_text("Reviewing match")


def test_the_result_of_a_puzzle_is_copied_with_one_press(served: Served) -> None:
    today = served.run(served.site.services.puzzles.today())
    assert today is not None
    alice = served.visit(ALICE, served.match("e5", "dark"), PHONE)
    alice.context.grant_permissions(["clipboard-read", "clipboard-write"])
    alice.goto(f"{served.site.base}/puzzle/{today.key}")
    for label in ("Show the solution", "Yes, show it", "Share the result"):
        alice.get_by_role("button", name=label).click()
    expect(alice.get_by_role("button", name="Copied")).to_be_visible()
    copied = alice.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied[1:] == ["⬛", f"{served.site.services.doors.url}/puzzle/{today.key}"]


def test_the_back_button_leaves_a_magnified_part_before_the_match(served: Served) -> None:
    match = served.match("e8,f12", "white", game="nadraz", size=14)
    alice, whole = served.visit(ALICE, match, PHONE), served.address(match)
    alice.goto(f"{served.site.base}/learn")
    alice.goto(whole)
    magnified = alice.get_by_role("link", name="Whole board")
    alice.locator(".near a").first.click()
    expect(magnified).to_be_visible()
    alice.go_back()
    expect(magnified).to_have_count(0)
    expect(alice).to_have_url(whole)
    alice.go_forward()
    expect(magnified).to_be_visible()
    alice.locator(".cells .open").first.click()
    begun = alice.locator("[name=draft]")
    expect(begun).not_to_have_value("")
    alice.reload()
    expect(magnified).to_be_visible()
    alice.go_back()
    expect(magnified).to_have_count(0)
    expect(alice).to_have_url(whole)
    before = begun.input_value()
    alice.locator(".near a").first.click()
    alice.locator(".cells .open").first.click()
    expect(begun).not_to_have_value(before)
    expect(magnified).to_be_visible()
    alice.get_by_role("button", name=re.compile("^Play (only|it)")).click()
    last_turn(alice, "played")
    alice.go_back()
    expect(alice).to_have_url(f"{served.site.base}/learn")


def test_a_stale_page_catches_up(served: Served) -> None:
    match = served.match("e5", "dark")
    alice = served.visit(ALICE, match, DESKTOP)
    cell(alice, "d4").click()
    expect(alice.get_by_role("button", name="Play it")).to_be_visible()
    served.play(match, ALICE, "b2")
    last_turn(alice, "played b2")
    expect(alice.locator(".ask")).to_have_text("Bob's turn (Dark).")
    served.play(match, BOB, "c4")
    is_to_play(alice)


@weekly
@pytest.mark.parametrize(
    ("size", "sharpness", "width"), [(PHONE, 3, 900), (DESKTOP, 1, 900), (DESKTOP, 2, 1800), (LARGE, 1, 1800)]
)
def test_large_screens_have_sharp_boards_and_phones_small_files(
    served: Served, size: ViewportSize, sharpness: int, width: int
) -> None:
    alice = served.visit(ALICE, served.match("e5", "dark"), size, device_scale_factor=sharpness)
    loaded = set[str]()
    alice.on("request", lambda request: loaded.add(request.url))
    play(alice, "d4")
    last_turn(alice, "played d4")
    board = alice.locator(".board img")
    assert board.evaluate("image => createImageBitmap(image).then(drawn => drawn.width)") == width
    assert {"large=1" in url for url in loaded if "board.png" in url} == {width == 1800}


@pytest.mark.parametrize("sandbox", sample(["", "allow-same-origin allow-forms"], every=2))
def test_discord_shows_the_board_as_an_activity(served: Served, sandbox: str) -> None:
    match = served.match("e5", "dark")
    key = served.address(match).rpartition("/")[2]
    page = served.window(None, PHONE)
    served.discord.tokens.clear()
    page.goto(served.discord.client("Alice", key, sandbox=sandbox))
    alice = page.frame_locator("iframe")
    play(alice, "d4")
    last_turn(alice, "played d4")
    served.play(match, BOB, "c3")
    last_turn(alice, "played c3")
    board = alice.locator(".board img")
    expect(board).to_have_js_property("naturalWidth", int(board.get_attribute("width") or 0))
    alice.get_by_role("link", name="Rules of Dalen").click()
    expect(alice.locator("h1")).to_contain_text("Dalen")
    alice.get_by_role("link", name="Your matches").click()
    expect(alice.get_by_role("heading", name="Your matches")).to_be_visible()
    served.run(served.site.services.doors.end_sessions(ALICE.id))
    alice.locator(f"a[href*='{key}']").click()
    last_turn(alice, "played c3")
    assert served.discord.tokens == ["Alice", "Alice"]
    assert page.frames[1].url.startswith(f"{served.discord.frame}/?")


@weekly
def test_an_activity_without_an_identified_user_asks_again(served: Served) -> None:
    page = served.window(None, PHONE)
    page.goto(served.discord.client("Carol"))
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("alert")).to_contain_text("Discord did not say who you are")
    served.discord.people["Carol"] = CAROL
    frame.get_by_role("button", name="Try again").click()
    expect(frame.get_by_role("heading", name="Your matches")).to_be_visible()
