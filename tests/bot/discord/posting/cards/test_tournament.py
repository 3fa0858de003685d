"""The cross table of a tournament, drawn and described."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.discord.posting.cards.tournament import cross_table_picture
from bot.domain.competitions.cross_tables import cross_table
from bot.domain.competitions.tournaments import Entrant, Pairing, Tournament, TournamentState
from bot.domain.matches import Ending, Result
from bot.domain.players import Player
from render import DEFAULT_LOOK
from tests.support.services.matches import DALEN, PLACE

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_cross_table_writes_names_as_they_sound_and_has_a_description(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []

    def draw(*parts: Any) -> bytes:
        drawn.extend(parts)
        return b""

    monkeypatch.setattr("bot.discord.posting.cards.tournament.cross_table", draw)
    people = (Player(1, "さくら"), Player(-1, ""), Player(3, "Carol"))
    pairings = (
        Pairing(1, 1, -1, 1, Result(1, Ending.RULES), NOW),
        Pairing(2, 3, 1, 2, Result(None, Ending.AGREEMENT), NOW),
        Pairing(3, -1, 3, 3, Result(3, Ending.RULES), NOW),
    )
    state = TournamentState.OVER
    found = Tournament(
        *(7, PLACE, "秋杯", people[0], DALEN, None, 2, state, NOW, tuple(map(Entrant, people)), pairings)
    )
    picture = cross_table_picture(cross_table(found), DEFAULT_LOOK)
    title, _subtitle, _heads, entries, _theme = drawn
    assert title == "QiuBei · Dalen"
    assert {entry.name for entry in entries} == {"sakura", "a deleted player", "Carol"}
    assert [entry.name for entry in entries if entry.leads] == ["sakura", "Carol"]
    first, second, last = entries
    assert (first.wins, first.draws, first.losses) == ({2}, {1}, set())
    assert (second.wins, second.draws, second.losses) == ({2}, {0}, set())
    assert (last.wins, last.draws, last.losses) == (set(), set(), {0, 1})
    assert "秋杯 · Dalen. 3 matches" in picture.description
    rows = "1. さくら: 1½ (0.75), x ½ 1; 1. Carol: 1½ (0.75), ½ x 1; 3. a deleted player: 0 (0), 0 0 x."
    assert rows in picture.description
