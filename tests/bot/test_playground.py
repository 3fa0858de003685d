"""The playground keeps games, not messages: after a start, it shows again what is open and running."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from simcord.preview._media import MediaWorker

import render
import rules
from bot import playground
from bot.domain.players import Player
from render import replay
from tests.support.discord.actions import open_tournament
from tests.support.discord.club import Club
from tests.support.render import random_game


async def forget_messages(club: Club) -> None:
    """Restart the playground: the server is the same, but its messages are gone."""
    await club.stop()
    backend = club.env.backend
    for thread in club.threads():
        backend.delete_channel(thread.id)
    for message in list(backend.messages[club.channel.id].values()):
        backend.delete_message(club.channel.id, message.id)
    playground.show_again(Path(club.app.database.url.database or ""))
    await club.app.database.close()


async def test_open_challenges_and_running_matches_are_shown_again(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    await club.challenge(club.alice, club.carol)
    await forget_messages(club)
    await club.start()
    texts = "\n".join(card.text for card in club.cards())
    assert "Bob chose **Light**" in texts
    assert "Alice challenges Carol" in texts
    assert len(club.cards()) == 2
    await club.move(club.bob, "d4")
    challenge = next(message for message in club.messages() if "Accept" in str(message.components))
    assert (await club.press(club.carol, "Accept", on=challenge)).nothing


async def test_a_match_in_a_thread_gets_a_new_thread(club: Club) -> None:
    await club.match()
    await club.challenge(club.alice, club.carol, size=5, first="challenger")
    await club.press(club.carol, "Accept")
    await forget_messages(club)
    await club.start()
    (thread,) = club.threads()
    assert "Alice vs Carol" in club.card(thread).text
    await club.move(club.alice, "e5", where=thread)


async def test_open_and_running_tournaments_go_on(club: Club) -> None:
    for name in ("Spring Cup", "Autumn Cup"):
        await open_tournament(club, name=name)
    for who in (club.bob, club.carol):
        await club.app.tournaments.join(1, Player(who.id, who.user.global_name or ""))
    await club.app.tournaments.start(1, club.alice.id)
    await forget_messages(club)
    await club.start()
    await club.env.advance_time(5)
    assert "0 of 3 matches played" in next(card.text for card in club.cards() if "### 🏟️ Spring Cup" in card.text)
    (card,) = [message for message in club.messages() if "Join" in club.seen(message).labels]
    assert (await club.press(club.bob, "Join", on=card)).nothing
    assert "**2 players:** Alice, Bob" in next(card.text for card in club.cards() if "### 🏟️ Autumn Cup" in card.text)


async def test_finished_matches_are_not_shown_again(club: Club) -> None:
    await club.match(turns=("e5", "light", "d4", "a1"))
    await club.app.matches.resign(1, club.alice.id, shown_by_caller=True)
    await club.challenge(club.alice, club.carol)
    await club.press(club.carol, "Decline")
    await club.app.match_presenter.show_match(1)
    await forget_messages(club)
    await club.start()
    assert club.cards() == []
    answer = await club.slash(club.alice, "leaderboard", by="wins")
    assert "You: **#2** of 2 · 1\N{NO-BREAK SPACE}loss" in answer.private


async def test_a_running_clock_does_not_delay_the_page(club: Club) -> None:
    playground.hide_schedule(club.app.timers)
    await club.match(clock="1 min strict")
    await club.env.settle(timeout=90)
    assert "ran out of time" not in club.card().text
    await club.move(club.alice, "e5")


async def test_the_page_shows_pictures_unchanged_and_checks_animations_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[tuple[str, float | None]] = []

    async def check(_: MediaWorker, key: str, blob: bytes, *, media_time: float | None = None) -> Any:
        started.append((key, media_time))
        return len(blob)

    monkeypatch.setattr(MediaWorker, "validate", check)
    playground.trust_pictures()
    worker: Any = MediaWorker()
    game = random_game(rules.ruleset("dalen", 5), 3)
    board, animation = render.picture(game[0].position), replay.animation(render.FACES["dalen"], game)
    for viewer in ("alice", "bob"):
        shown = await worker.validate(viewer, board)
        assert shown.normalized == board
        assert (shown.width, shown.height) == Image.open(io.BytesIO(board)).size
        assert await worker.validate(viewer, animation) == len(animation)
    assert await worker.validate("bob", animation, media_time=1.0) == len(animation)
    assert started == [("alice", None), ("bob", 1.0)]


def test_help_needs_neither_token_nor_discord(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["playground", "--help"])
    with pytest.raises(SystemExit, match="0"):
        playground.main()
    assert "--fresh" in capsys.readouterr().out


def test_a_wrong_setting_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOG_FORMAT", "poetry")
    monkeypatch.setattr("sys.argv", ["playground"])
    with pytest.raises(SystemExit, match="2"):
        playground.main()
    assert capsys.readouterr().err.startswith("LOG_FORMAT: ")
    assert list(tmp_path.iterdir()) == []
