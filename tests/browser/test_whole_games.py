"""Whole games between Alice on the page of the match and Bob on Discord."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import rules
from tests.support.thorough import THOROUGH
from tests.support.web.playground import Member, Playground
from tests.support.web.random_play import play_between
from tests.support.web.tapping import DESKTOP, PHONE, Reader, Tapper, Typist

pytestmark = pytest.mark.skipif(not THOROUGH, reason="only the weekly run plays whole games in the browser")

#: Ways for Alice to play, each with its kind of window.
_WAYS: dict[str, tuple[type[Tapper], dict[str, Any]]] = {
    "phone": (Tapper, {"viewport": PHONE}),
    "desktop": (Tapper, {"viewport": DESKTOP}),
    "keys": (Typist, {"viewport": DESKTOP}),
    "no script": (Reader, {"viewport": PHONE, "java_script_enabled": False}),
}
#: The number of turns after which both pass whenever they may, for short and for whole games. Random players of Dendria
#: otherwise go on for hundreds of turns.
_SHORT, _WHOLE = 5, 150
_GAMES = [
    *(("dendria", way, _SHORT) for way in _WAYS),
    *((game, way, _WHOLE) for game in rules.GAMES for way in ("phone", "desktop")),
    *((game, way, _SHORT) for game in rules.GAMES for way in ("keys", "no script") if game != "dendria"),
]


@pytest.mark.parametrize(("game", "way", "passing"), _GAMES)
def test_a_whole_game_between_the_page_and_discord(
    browser: Browser, tmp_path: Path, game: str, way: str, passing: int
) -> None:
    chance = random.Random(f"{game} {way} {passing}")
    ruleset = rules.ruleset(game, min(rules.GAMES[game].sizes))
    kind, options = _WAYS[way]
    with Playground(tmp_path) as playground, closing(browser.new_context(**options)) as context:
        bob, host = Member(playground, "Bob"), Member(playground, "Alice")
        host.challenge("Bob", game, ruleset.size)
        bob.press("Accept")
        alice = kind(context.new_page())
        alice.come(host)
        assert [*play_between(alice, bob, ruleset, chance, passing=passing)]
        assert alice.seen["title"].split(" · ")[0] in " ".join(bob.texts).replace("*", "")
