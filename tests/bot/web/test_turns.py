"""Turns on the page, put together by presses."""

from __future__ import annotations

import asyncio
import random
import re
from contextlib import suppress
from datetime import timedelta
from typing import Any

import aiohttp
import pytest

import render
import rules
from bot.domain.clocks import TimeControl
from bot.domain.places import Place
from bot.domain.preferences import Confirmation
from bot.domain.timers import TimerKind
from bot.services.matches import Matches
from rules import PASS
from tests.support.games import FORCED_TO_LOSE, LOSING, PASSING, WHOLE_GAME
from tests.support.services.counts import counting
from tests.support.services.matches import ALICE, BOB, start
from tests.support.services.stored import due_timers
from tests.support.thorough import fewer, sample
from tests.support.web.pages import SMALLEST, Browser, Seen, Site, Table

PLAY, BACK, FILM = "Play it", "Back", 'class="film"'


async def to_act(table: Table) -> Browser:
    """The browser of the player to act."""
    awaited = (await table.game()).to_act
    assert awaited is not None
    return table.alice if awaited == ALICE else table.bob


def classes(page: Seen, press: str) -> str:
    """The classes of a button of the bar."""
    (button,) = (button for button in page.buttons if button.press == press)
    found = re.search('class="([^"]*)"', button.attributes)
    return "" if found is None else found[1]


async def play_somehow(browser: Browser, page: Seen, chance: random.Random) -> tuple[Seen, int]:
    """Put a random turn together and play it. Return the page after it, and the number of presses."""
    presses, step = 0, page.fields["step"]
    while page.fields["step"] == step:
        presses += 1
        assert presses < 30
        choices = {label: press for label, press in page.choices.items() if label not in (BACK, "Cancel")}
        end = next((press for label, press in choices.items() if label == PLAY or label.startswith("Play only")), None)
        if end is not None and (PLAY in choices or chance.random() < 0.5):
            page = await browser.press(page, end)
        elif page.cells and (not choices or chance.random() < 0.8):
            page = await browser.press(page, f"@{chance.choice(page.cells)}")
        else:
            page = await browser.press(page, chance.choice(list(choices.values())))
        assert page.status == 200, page.text
    return page, presses


@pytest.mark.parametrize(("game", "size"), SMALLEST)
async def test_both_players_play_by_pressing_cells(site: Site, game: str, size: int) -> None:
    table, chance = await site.table(game=game, size=size), random.Random(game)
    for ply in range(1, fewer(24, 6) + 1):
        if (await table.game()).to_act is None:
            break
        browser = await to_act(table)
        page = await browser.get(table.path)
        assert page.title.startswith("● Your turn")
        page, presses = await play_somehow(browser, page, chance)
        after = await table.game()
        assert after.ply == ply
        # Each element takes one press, unless it has no alternative; then comes Play it.
        assert presses <= max(2, len(rules.elements_of(after.turns[-1])) + 1) + 6 * (game == "dendria")


async def test_a_chosen_cell_can_be_changed_and_taken_back(site: Site) -> None:
    table = await site.table("e5", "dark")
    page = await table.alice.press(await table.alice.get(table.path), "@d4")
    assert "Play d4 ?" in page.text
    page = await table.alice.press(page, "@c3")
    assert "Play c3 ?" in page.text
    page = await table.alice.submit(page, BACK)
    assert PLAY not in page.choices
    assert await site.services.matches.draft(table.match, ALICE.id) == ""
    page = await table.alice.play(table.path, "d4")
    assert (await table.game()).turns[-1] == "d4"
    assert "Bob's turn (Dark)." in page.text
    matches = site.services.matches
    assert await due_timers(matches.storage, matches.now()) == {(TimerKind.SHOW_MATCH, table.match.id)}


async def test_a_player_who_plays_at_once_confirms_only_risky_turns(site: Site) -> None:
    await site.services.settings.change_preferences(ALICE, confirmation=Confirmation.AT_ONCE)
    table = await site.table(*LOSING)
    page = await table.alice.press(await table.alice.get(table.path), "@f3")
    assert page.choices[PLAY]
    assert 'class="effect risky"' in page.html
    assert "It loses 4 of yours." in page.text
    await table.alice.press(page, "@i9")
    assert (await table.game()).turns[-1] == "i9"


@pytest.mark.parametrize(("game", "size"), SMALLEST)
async def test_marks_stay_during_a_turn(site: Site, game: str, size: int) -> None:
    opening = {"dalen": ("e5", "dark"), "nadraz": ("e6,h8", "white")}.get(game, ())
    table = await site.table(*opening, game=game, size=size)
    for name in sample([*render.overlays_of(rules.GAMES[game])], 2):
        browser = await to_act(table)
        plain, page = [await browser.get(table.path + query) for query in ("", f"?marks={name}")]
        assert page.cells == plain.cells
        drawn = [await browser.bytes_of(shown.pictures[0]) for shown in (plain, page)]
        assert drawn[0] != drawn[1] or not page.cells
        step = page.fields["step"]
        while page.fields["step"] == step:
            assert "Hide" in page.text
            assert f"marks={name}" in page.pictures[0]
            marked = await browser.bytes_of(page.pictures[0])
            if name == "legal" and page.fields["draft"]:
                assert marked != await browser.bytes_of(page.pictures[0].replace("marks=legal", ""))
            presses = [press for press in page.choices.values() if press == ".end"]
            presses += [*(f"@{cell}" for cell in page.cells), *page.choices.values()]
            page = await browser.press(page, presses[0])
        assert "Hide" in page.text
        assert "s turn" in page.text or "is choosing" in page.text or "opens" in page.text, page.text


async def test_marks_about_one_cell_are_chosen_before_the_turn(site: Site) -> None:
    table = await site.table("e6,h8", "white", game="nadraz", size=6)
    page = await table.alice.get(f"{table.path}?marks=growth")
    page = await table.alice.get(page.addresses('href="([^"]*)"[^>]*>Only one cell')[0])
    assert not page.cells
    page = await table.alice.get(page.addresses('href="([^"]*on=e6[^"]*)"')[0])
    assert "Where snakes can grow · e6" in page.text
    page = await table.alice.press(page, f"@{page.cells[0]}")
    assert "on=e6" in page.pictures[0]


async def test_the_title_names_the_player_to_act_on_past_boards_too(site: Site) -> None:
    table = await site.table("e5", "dark")
    for query in ("?ply=1", "?marks=legal"):
        assert (await table.alice.get(table.path + query)).title.startswith("● Your turn")


async def test_the_rules_explain_why_a_cell_is_refused(site: Site) -> None:
    dalen, nadraz = await site.table("e5", "dark"), await site.table(game="nadraz", size=6)
    page = await dalen.alice.press(await dalen.alice.get(dalen.path), "@e5")
    assert page.status == 422
    assert "e5 is taken by a dark stone. Rules" in page.text
    assert "d4" in page.cells
    for begun in ((), ("@e6",)):
        page = await nadraz.alice.get(nadraz.path)
        for press in (*begun, "@a1"):
            page = await nadraz.alice.press(page, press)
        assert "a1 is an edge cell, where no egg can be placed." in page.text


@pytest.mark.parametrize(
    ("presses", "played"),
    [
        (("@d5", "@d3", ".end"), "d5-d3"),
        (("@d5", "@d3", "@d3"), "d5-d3"),
        (("@d3", ".end"), "d5-d3"),  # only one run ends there
        (("@d3", "@d3"), "d5-d3"),
        (("@d3", "@g5", "@g5"), "e5-g5"),
        (("@d5", ".end"), "d5"),
        (("@d5", "@d5"), "d5"),
    ],
)
async def test_a_run_of_nadraz_takes_two_or_three_presses(site: Site, presses: tuple[str, ...], played: str) -> None:
    table = await site.table("e6,h8", "white", game="nadraz", size=6)
    page = await table.alice.get(table.path)
    for press in presses:
        assert (await table.game()).ply == 2
        page = await table.alice.press(page, press)
        assert page.status == 200
    assert (await table.game()).turns[-1] == played


async def test_a_begun_run_is_refused_where_it_cannot_end(site: Site) -> None:
    table = await site.table("e6,h8", "white", game="nadraz", size=6)
    page = await table.alice.press(await table.alice.get(table.path), "@d5")
    page = await table.alice.press(page, "@h7")  # the end of another run
    assert page.status == 422
    assert "d5 and h7 are not in a straight line" in page.text


async def test_a_second_press_on_the_chosen_cell_plays_it(site: Site) -> None:
    table = await site.table("e5", "dark")
    page = await table.alice.press(await table.alice.get(table.path), "@d4")
    await table.alice.press(page, "@d4")
    assert (await table.game()).turns[-1] == "d4"


async def test_a_second_press_does_not_play_a_risky_turn(site: Site) -> None:
    table = await site.table(*LOSING)
    page = await table.alice.press(await table.alice.get(table.path), "@f3")
    page = await table.alice.press(page, "@f3")
    assert page.fields["draft"] == "f3"
    await table.alice.submit(page, PLAY)
    assert (await table.game()).turns[-1] == "f3"


async def test_a_press_plays_the_chosen_side(site: Site) -> None:
    table = await site.table("e5")
    await table.bob.press(await table.bob.get(table.path), "dark")
    assert (await table.game()).turns == ("e5", "dark")


async def test_a_player_who_wants_to_confirm_every_turn_confirms_the_side(site: Site) -> None:
    await site.services.settings.change_preferences(BOB, confirmation=Confirmation.ALWAYS)
    table = await site.table("e5")
    await table.bob.submit(await table.bob.press(await table.bob.get(table.path), "dark"), PLAY)
    assert (await table.game()).turns == ("e5", "dark")


@pytest.mark.parametrize(("turns", "main"), [(("e5", "black", PASS), True), (("e5", "black", "d4", PASS), False)])
async def test_only_a_turn_that_does_not_lose_has_a_green_button(
    site: Site, turns: tuple[str, ...], main: bool
) -> None:
    table = await site.table(*turns, game="fiodar", size=5)
    browser = await to_act(table)
    page = await browser.get(table.path)
    assert classes(page, PASS) == "quiet"  # beside the question for a cell
    page = await browser.press(page, PASS)
    assert classes(page, ".end") == ("main" if main else "")
    assert ("It loses the match." in page.text) is not main


async def test_a_turn_of_dendria_with_two_acts_is_pressed_act_by_act(site: Site) -> None:
    record = render.face(rules.GAMES["dendria"]).example()
    ply = next(ply for ply, turn in enumerate(record.turns) if sum(map(turn.count, "+*")) == 2)
    table = await site.table(*record.turns[:ply], game="dendria", size=record.ruleset.size)
    browser, presses = await to_act(table), 0
    page = await browser.get(table.path)
    while page.fields["draft"] != record.turns[ply]:
        element = rules.elements_of(record.turns[ply].removeprefix(page.fields["draft"]))[0]
        page = await browser.press(page, element if element in page.choices.values() else f"@{element.lstrip('+*-')}")
        presses += 1
        assert presses <= 6
    await browser.press(page, ".end")
    assert (await table.game()).turns == record.turns[: ply + 1]


async def test_a_turn_continued_on_discord_is_shown_before_it_is_played(site: Site) -> None:
    table, matches = await site.table("e5", "dark"), site.services.matches
    page = await table.alice.press(await table.alice.get(table.path), "@d4")
    turn = await matches.turn(table.match.id, ALICE.id)
    assert turn.draft == "d4"
    await matches.save_draft(turn.game, ALICE.id, turn.game.position.draft("c3"), before="d4")
    page = await table.alice.submit(page, PLAY)
    assert page.status == 409
    assert "You have continued elsewhere." in page.text
    assert "Play c3 ?" in page.text


async def test_the_bar_says_that_a_player_must_pass(site: Site) -> None:
    table = await site.table(*PASSING)
    browser = await to_act(table)
    page = await browser.get(table.path)
    assert "must pass" in page.text
    assert classes(page, PASS) == "main"
    await browser.press(page, PASS)
    assert (await table.game()).turns[-1] == PASS


async def test_a_forced_pass_that_loses_is_announced_and_takes_one_press(site: Site) -> None:
    table = await site.table(*FORCED_TO_LOSE, game="nadraz", size=6)
    browser = await to_act(table)
    page = await browser.get(table.path)
    assert "It loses the match." in page.text
    assert classes(page, PASS) == ""
    await browser.press(page, PASS)
    assert (await table.game()).match.result is not None


@pytest.mark.parametrize("confirmation", [Confirmation.RISKY, Confirmation.AT_ONCE])
async def test_equal_presses_at_once_are_one_press(site: Site, confirmation: Confirmation) -> None:
    await site.services.settings.change_preferences(ALICE, confirmation=confirmation)
    table = await site.table("e5", "dark")
    page = await table.alice.get(table.path)
    for press in ["@d4", ".back", "@d4", ".end"] if confirmation is Confirmation.RISKY else ["@d4"]:
        pages = await asyncio.gather(*(table.alice.press(page, press) for _ in range(5)))
        assert {page.status for page in pages} == {200}, press
        assert len({page.text for page in pages}) == 1
        page = pages[0]
    assert (await table.game()).turns == ("e5", "dark", "d4")
    await site.services.matches.resign(table.match.id, BOB.id)
    assert "Bob resigned" in (await table.alice.press(page, "@c4")).text


async def test_a_turn_that_ends_the_match_can_be_pressed_twice(site: Site) -> None:
    table = await site.table(*WHOLE_GAME[:-1])
    browser = await to_act(table)
    page = await browser.press(await browser.get(table.path), f"@{WHOLE_GAME[-1]}")
    pages = [await browser.press(page, ".end") for _ in range(2)]
    assert [page.status for page in pages] == [200, 200]
    assert "wins" in pages[1].title


async def test_a_press_on_a_stale_page_shows_the_current_board(site: Site) -> None:
    table = await site.table("e5", "dark")
    stale = await table.alice.get(table.path)
    await table.alice.play(table.path, "d4")
    await table.bob.play(table.path, "c3")
    page = await table.alice.press(stale, "@a1")
    assert page.status == 409
    assert "The board has moved on" in page.text
    assert "c3" in page.text
    assert (await table.game()).ply == 4


@pytest.mark.parametrize("failure", [asyncio.CancelledError(), RuntimeError("a bug")])
async def test_a_request_that_fails_after_storing_a_turn_loses_no_card(
    site: Site, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    table, matches, play = await site.table("e5", "dark"), site.services.matches, Matches.play
    page = await table.alice.press(await table.alice.get(table.path), "@d4")

    async def play_and_fail(self: Matches, *arguments: Any) -> None:
        await play(self, *arguments)
        raise failure

    monkeypatch.setattr(Matches, "play", play_and_fail)
    with suppress(aiohttp.ServerDisconnectedError):
        assert (await table.alice.submit(page, PLAY)).status == 500
    assert await due_timers(matches.storage, matches.now()) == {(TimerKind.SHOW_MATCH, table.match.id)}


@pytest.mark.parametrize("control", [None, TimeControl.turns_of(timedelta(days=1))])
async def test_a_tap_that_plays_a_turn_opens_five_sessions_of_the_database(
    site: Site, control: TimeControl | None
) -> None:
    matches, table = site.services.matches, await site.table("e5", "dark", control=control)
    await start(matches, BOB, ALICE, Place(1, 11))
    await start(matches, ALICE, BOB, Place(1, 12))  # waits for her
    page = await table.alice.press(await table.alice.get(table.path), "@d4")
    table.alice.headers["Part"] = "1"  # as the script
    with counting(matches.storage.database) as counts:
        page = await table.alice.submit(page, PLAY)
    assert "Bob's turn (Dark)." in page.text
    assert "Next match" in page.text
    assert ("1 day" in page.text) is (control is not None)
    assert (counts.reads, counts.writes) == (4, 1)


async def test_a_finished_match_offers_a_rematch(site: Site) -> None:
    table = await site.table("e5", "dark")
    assert "resigned" in (await table.alice.post(f"{table.path}/resign", step="2")).text
    table = await site.table(*WHOLE_GAME)
    page = await table.alice.get(table.path)
    assert "wins" in page.title
    page = await table.alice.submit(page, "Rematch")
    assert "disabled>Waiting for Bob</button>" in page.html
    assert "Rematch" not in page.html
    page = await table.bob.get(table.path)
    assert "Waiting for" not in page.text
    assert "would like a rematch" in page.text
    page = await table.bob.submit(page, "Accept")
    rematch = (await table.game()).match.rematch_id
    assert rematch is not None
    assert page.url.endswith(await site.services.doors.key(rematch))


async def test_the_end_congratulates_the_winner_and_is_kind_to_the_other(site: Site) -> None:
    table = await site.table(*WHOLE_GAME)
    result = (await table.game()).match.result
    assert result is not None
    winner, loser = (table.alice, table.bob) if result.winner_id == ALICE.id else (table.bob, table.alice)
    page = await winner.get(table.path)
    assert "You win!" in page.text
    assert "wins by annihilation." in page.text
    page = await loser.get(table.path)
    assert "Well played!" in page.text
    assert "wins by annihilation." in page.text
    for words in ("You win!", "Well played!"):
        assert words not in (await (await site.browser()).get(table.path)).text


async def test_the_page_of_a_finished_match_has_the_boards_of_its_last_turns_for_its_players(site: Site) -> None:
    table = await site.table(*WHOLE_GAME)
    page = await table.alice.get(table.path)
    last = len(WHOLE_GAME)
    film = page.addresses(r'<img src="([^"]*ply=[^"]*)" alt="">')
    assert [address.rpartition("=")[2] for address in film] == [str(ply) for ply in range(last - 6, last)]
    shown = await table.alice.bytes_of(film[-1])
    assert shown.startswith(b"\x89PNG")
    assert shown != await table.alice.bytes_of(page.pictures[0])
    assert FILM not in (await table.alice.get(f"{table.path}?ply=3")).html
    assert FILM not in (await (await site.browser()).get(table.path)).html, "strangers cannot have it drawn"
    table = await site.table("e5", "dark")
    assert FILM not in (await table.alice.get(table.path)).html
