"""Turns on the page: put together by presses, with and without script."""

from __future__ import annotations

import asyncio
import random
import re
from contextlib import suppress
from datetime import timedelta
from html import unescape
from typing import Any

import aiohttp
import pytest

import render
import rules
from bot.domain.clocks import TimeControl
from bot.domain.matches import Match
from bot.domain.places import Place
from bot.domain.preferences import Confirmation
from bot.domain.timers import TimerKind
from bot.services.matches import Matches
from rules import PASS
from tests.support.counts import counting
from tests.support.games import LOSING, PASSING, WHOLE_GAME
from tests.support.pages import SMALLEST, Browser, Seen, Site
from tests.support.services import ALICE, BOB, start
from tests.support.stored import due_timers
from tests.support.thorough import fewer, sample

PLAY, BACK = "Play it", "Back"


async def begin(site: Site, *turns: str, game: str = "dalen", size: int = 5) -> Match:
    return await start(site.services.matches, turns=turns, ruleset=rules.ruleset(game, size))


async def play_somehow(browser: Browser, page: Seen, chance: random.Random) -> tuple[Seen, int]:
    """Put some turn together and play it; the page after it, and the number of presses."""
    presses, ply = 0, page.fields["step"]
    while page.fields["step"] == ply:
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
    match = await begin(site, game=game, size=size)
    browsers = {player.id: await site.browser_of(player, match) for player in (ALICE, BOB)}
    path, chance = await site.path(match), random.Random(game)
    for ply in range(1, fewer(24, 6) + 1):
        awaited = (await site.services.matches.game(match.id)).to_act
        if awaited is None:
            break
        page = await browsers[awaited.id].get(path)
        assert page.title.startswith("● Your turn")
        page, presses = await play_somehow(browsers[awaited.id], page, chance)
        game_now = await site.services.matches.game(match.id)
        assert game_now.ply == ply
        elements = len(rules.elements_of(game_now.turns[-1]))
        # Each element is a press, but elements without alternatives need none; then Play it.
        assert presses <= max(2, elements + 1) + 6 * (game == "dendria")


async def test_a_placement_takes_two_presses(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@d4")
    assert "Play d4 ?" in page.text
    page = await alice.press(page, page.choices[PLAY])
    assert (await site.services.matches.game(match.id)).turns[-1] == "d4"
    assert "Bob (Dark) to play." in page.text


async def test_who_plays_at_once_needs_one_press_unless_it_is_risky(site: Site) -> None:
    await site.services.settings.change_preferences(ALICE, confirmation=Confirmation.AT_ONCE)
    match = await begin(site, *LOSING)
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@f3")
    assert page.choices[PLAY]
    assert 'class="effect risky"' in page.html
    assert "It loses 4 of yours." in page.text
    page = await alice.press(page, "@i9")
    assert (await site.services.matches.game(match.id)).turns[-1] == "i9"


async def test_another_cell_takes_the_place_of_the_one_chosen(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@d4")
    page = await alice.press(page, "@c3")
    assert "Play c3 ?" in page.text
    page = await alice.press(page, page.choices[BACK])
    assert PLAY not in page.choices
    assert await site.services.matches.draft(await site.services.matches.match(match.id), ALICE.id) == ""


@pytest.mark.parametrize(("game", "size"), SMALLEST)
async def test_marks_stay_while_one_plays(site: Site, game: str, size: int) -> None:
    opened = {"dalen": ("e5", "dark"), "nadraz": ("e6,h8", "white")}.get(game, ())
    match = await begin(site, *opened, game=game, size=size)
    browsers, path = {each.id: await site.browser_of(each, match) for each in (ALICE, BOB)}, await site.path(match)
    for name in sample([*render.overlays_of(rules.GAMES[game])], 2):
        awaited = (await site.services.matches.game(match.id)).to_act
        assert awaited is not None
        browser = browsers[awaited.id]
        plain, page = await browser.get(path), await browser.get(f"{path}?marks={name}")
        assert page.cells == plain.cells
        drawn = [await browser.bytes_of(each.pictures[0]) for each in (plain, page)]
        assert drawn[0] != drawn[1] or not page.cells
        step = page.fields["step"]
        while page.fields["step"] == step:
            assert "No marks" in page.text
            assert f"marks={name}" in page.pictures[0]
            assert (await browser.bytes_of(page.pictures[0])).startswith(b"\x89PNG")
            if name == "legal" and page.fields["draft"]:
                unmarked = await browser.bytes_of(page.pictures[0].replace("marks=legal", ""))
                assert await browser.bytes_of(page.pictures[0]) != unmarked
            ends = [press for press in page.choices.values() if press == ".end"]
            page = await browser.press(
                page, (ends or [f"@{page.cells[0]}"] if page.cells or ends else [*page.choices.values()])[0]
            )
        assert "No marks" in page.text
        assert "to play" in page.text or "is choosing" in page.text or "opens" in page.text, page.text


async def test_marks_about_one_cell_are_chosen_before_going_on(site: Site) -> None:
    match = await begin(site, "e6,h8", "white", game="nadraz", size=6)
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    page = await alice.get(f"{path}?marks=growth")
    chooser = re.search('href="([^"]*)"[^>]*>Marks about one cell', page.html)
    assert chooser is not None
    page = await alice.get(unescape(chooser[1]))
    cell = re.search('href="([^"]*on=e6[^"]*)"', page.html)
    assert cell is not None
    assert not page.cells
    page = await alice.get(unescape(cell[1]))
    assert "Where snakes can grow · e6" in page.text
    page = await alice.press(page, f"@{page.cells[0]}")
    assert "on=e6" in page.pictures[0]


async def test_the_title_says_whose_turn_it_is_while_one_looks_back(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    for query in ("?ply=1", "?marks=legal"):
        assert (await alice.get(path + query)).title.startswith("● Your turn")


async def test_the_rules_refuse_a_cell_in_their_own_words(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@e5")
    assert page.status == 422
    assert "e5 is taken by a dark stone. Rules" in page.text
    assert "d4" in page.cells


async def test_an_egg_of_the_opening_is_refused_on_its_own(site: Site) -> None:
    match = await begin(site, game="nadraz", size=6)
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@a1")
    assert "a1 is an edge cell, where no egg can be placed." in page.text
    page = await alice.press(page, "@e6")
    page = await alice.press(page, "@a1")
    assert "a1 is an edge cell, where no egg can be placed." in page.text


async def test_a_run_of_nadraz_begins_and_ends_with_a_press(site: Site) -> None:
    match = await begin(site, "e6,h8", "white", game="nadraz", size=6)
    alice = await site.browser_of(ALICE, match)
    page = await alice.get(await site.path(match))
    page = await alice.press(page, f"@{page.cells[0]}")
    begun = page.fields["draft"]
    page = await alice.press(page, f"@{page.cells[-1]}")
    assert page.fields["draft"].startswith(f"{begun}-")
    await alice.press(page, page.choices[PLAY])
    assert (await site.services.matches.game(match.id)).ply == 3


async def test_a_turn_of_dendria_with_two_acts_is_pressed_act_by_act(site: Site) -> None:
    record = render.face(rules.GAMES["dendria"]).example()
    ply = next(ply for ply, turn in enumerate(record.turns) if sum(map(turn.count, "+*")) == 2)
    ruleset = record.ruleset
    match = await begin(site, *record.turns[:ply], game="dendria", size=ruleset.size)
    game = await site.services.matches.game(match.id)
    assert game.to_act is not None
    browser = await site.browser_of(game.to_act, match)
    page, presses = await browser.get(await site.path(match)), 0
    while page.fields["draft"] != record.turns[ply]:
        element = rules.elements_of(record.turns[ply].removeprefix(page.fields["draft"]))[0]
        named = next((press for press in page.choices.values() if press == element), None)
        page = await browser.press(page, named or f"@{element.lstrip('+*-')}")
        presses += 1
        assert presses <= 6
    end = next(press for press in page.choices.values() if press == ".end")
    await browser.press(page, end)
    assert (await site.services.matches.game(match.id)).turns == record.turns[: ply + 1]


async def test_a_turn_that_is_begun_here_goes_on_on_discord(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice = await site.browser_of(ALICE, match)
    path = await site.path(match)
    page = await alice.press(await alice.get(path), "@d4")
    turn = await site.services.matches.turn(match.id, ALICE.id)
    assert turn.draft == "d4"
    await site.services.matches.save_draft(turn.game, ALICE.id, turn.game.position.draft("c3"), before="d4")
    page = await alice.press(page, page.choices[PLAY])
    assert page.status == 409
    assert "You have continued elsewhere." in page.text
    assert "Play c3 ?" in page.text


async def test_only_a_pass_is_left_and_the_bar_says_so(site: Site) -> None:
    match = await begin(site, *PASSING)
    game = await site.services.matches.game(match.id)
    assert game.to_act is not None
    browser = await site.browser_of(game.to_act, match)
    page = await browser.get(await site.path(match))
    assert "must pass" in page.text
    page = await browser.press(page, PASS)
    await browser.press(page, page.choices[PLAY])
    assert (await site.services.matches.game(match.id)).turns[-1] == PASS


async def test_a_double_tap_counts_once(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@d4")
    pages = await asyncio.gather(*(alice.press(page, page.choices[PLAY]) for _ in range(4)))
    assert {each.status for each in pages} == {200}
    assert (await site.services.matches.game(match.id)).turns == ("e5", "dark", "d4")


@pytest.mark.parametrize("confirmation", [Confirmation.RISKY, Confirmation.AT_ONCE])
async def test_equal_presses_at_once_are_one_press(site: Site, confirmation: Confirmation) -> None:
    await site.services.settings.change_preferences(ALICE, confirmation=confirmation)
    match = await begin(site, "e5", "dark")
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    page = await alice.get(path)
    presses = ["@d4", ".back", "@d4", ".end"] if confirmation is Confirmation.RISKY else ["@d4"]
    for press in presses:
        pages = await asyncio.gather(*(alice.press(page, press) for _ in range(5)))
        assert {each.status for each in pages} == {200}, press
        assert len({each.text for each in pages}) == 1
        page = pages[0]
    assert (await site.services.matches.game(match.id)).turns == ("e5", "dark", "d4")
    await site.services.matches.resign(match.id, BOB.id)
    assert "Bob resigned" in (await alice.press(page, "@c4")).text


async def test_a_turn_that_ends_the_match_can_be_pressed_twice(site: Site) -> None:
    match = await begin(site, *WHOLE_GAME[:-1])
    game = await site.services.matches.game(match.id)
    assert game.to_act is not None
    browser = await site.browser_of(game.to_act, match)
    page = await browser.press(await browser.get(await site.path(match)), f"@{WHOLE_GAME[-1]}")
    pages = [await browser.press(page, ".end") for _ in range(2)]
    assert [each.status for each in pages] == [200, 200]
    assert "wins" in pages[1].title


async def test_a_stale_page_shows_the_board_that_there_is_now(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice, bob = await site.browser_of(ALICE, match), await site.browser_of(BOB, match)
    path = await site.path(match)
    stale = await alice.get(path)
    page = await alice.press(stale, "@d4")
    await alice.press(page, page.choices[PLAY])
    page = await bob.press(await bob.get(path), "@c3")
    await bob.press(page, page.choices[PLAY])
    page = await alice.press(stale, "@a1")
    assert page.status == 409
    assert "The board has moved on" in page.text
    assert "c3" in page.text
    assert (await site.services.matches.game(match.id)).ply == 4


async def test_discord_shows_a_turn_of_the_page(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@d4")
    await alice.press(page, page.choices[PLAY])
    matches = site.services.matches
    assert await due_timers(matches.storage, matches.now()) == {(TimerKind.SHOW_MATCH, match.id)}


@pytest.mark.parametrize("failure", [asyncio.CancelledError(), RuntimeError("a bug")])
async def test_a_request_that_ends_once_its_turn_is_stored_loses_no_card(
    site: Site, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    match = await begin(site, "e5", "dark")
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@d4")
    play, storage = Matches.play, site.services.matches.storage

    async def play_and_fail(self: Matches, *arguments: Any) -> None:
        await play(self, *arguments)
        raise failure

    monkeypatch.setattr(Matches, "play", play_and_fail)
    with suppress(aiohttp.ServerDisconnectedError):
        assert (await alice.press(page, page.choices[PLAY])).status == 500
    assert await due_timers(storage, site.services.matches.now()) == {(TimerKind.SHOW_MATCH, match.id)}


@pytest.mark.parametrize("control", [None, TimeControl.turns_of(timedelta(days=1))])
async def test_a_tap_that_plays_a_turn_opens_five_sessions_of_the_database(
    site: Site, control: TimeControl | None
) -> None:
    matches = site.services.matches
    match = await start(matches, turns=("e5", "dark"), control=control)
    await start(matches, BOB, ALICE, Place(1, 11))
    await start(matches, ALICE, BOB, Place(1, 12))  # waits for her
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(await site.path(match)), "@d4")
    alice.headers["Part"] = "1"  # from now on as the script asks
    with counting(matches.storage.database) as counts:
        page = await alice.press(page, page.choices[PLAY])
    assert "Bob (Dark) to play." in page.text
    assert "Next game" in page.text
    assert ("1 day" in page.text) is (control is not None)
    assert (counts.reads, counts.writes) == (4, 1)


async def test_a_match_that_is_over_offers_a_rematch(site: Site) -> None:
    match = await begin(site, *WHOLE_GAME)
    alice, bob = await site.browser_of(ALICE, match), await site.browser_of(BOB, match)
    path = await site.path(match)
    page = await alice.get(path)
    assert "wins" in page.title
    step = str((await site.services.matches.match(match.id)).step)
    await alice.post(f"{path}/propose", kind="rematch", step=step)
    page = await bob.get(path)
    assert "would like a rematch" in page.text
    proposal = (await site.services.matches.match(match.id)).proposals[0]
    page = await bob.post(f"{path}/answer", proposal=str(proposal.id), answer="accept")
    rematch = (await site.services.matches.match(match.id)).rematch_id
    assert rematch is not None
    assert page.url.endswith(await site.services.doors.key(rematch))


async def test_resigning_ends_the_match(site: Site) -> None:
    match = await begin(site, "e5", "dark")
    alice = await site.browser_of(ALICE, match)
    path = await site.path(match)
    page = await alice.post(f"{path}/resign", step="2")
    assert "resigned" in page.text
    assert (await site.services.matches.match(match.id)).result is not None
