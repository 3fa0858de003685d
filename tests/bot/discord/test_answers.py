"""Whatever goes wrong, the user gets a private answer in words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from tests.support.discord.club import Club
from tests.support.services.failures import full_disk, patch_storage


async def broken(*_: object, **__: object) -> Any:
    raise RuntimeError("a bug")


WORDS = r"Something went wrong on my side. Please try again. If it keeps happening, report the code `"


@contextmanager
def failing(club: Club, method: str, event: str = "interaction_failed") -> Iterator[None]:
    """Let a method of the storage fail, which the bot logs once."""
    club.expect_failure(event)
    with pytest.MonkeyPatch.context() as patch:
        patch_storage(patch, method, broken)
        yield


async def test_an_unexpected_failure_of_a_command_is_reported_privately(club: Club) -> None:
    await club.match(turns=["e5", "light"])
    await club.restart()
    cards = club.cards()
    every: list[tuple[str, str, dict[str, Any]]] = [
        ("MatchRepository.steps_of", "move", {"turn": "d4"}),  # the first method, since the turns are not read twice
        ("ChallengeRepository.add", "challenge", {"game": "dalen"}),
        ("MatchRepository.candidates", "move", {"turn": "d4"}),
        ("MatchRepository.add_step", "move", {"turn": "d4"}),
        ("MatchRepository.candidates", "pass", {}),
        ("MatchRepository.candidates", "resign", {}),
        ("DeliveryRepository.request", "board", {}),
        ("MatchRepository.latest", "board", {}),
        ("LeaderboardRepository.leaderboard", "leaderboard", {}),
    ]
    for method, command, options in every:
        with failing(club, method):
            answer = await club.slash(club.bob, command, **options)
        assert answer.private.startswith(WORDS), (method, command)
        assert club.cards() == cards


async def test_an_unexpected_failure_of_a_button_is_reported_privately(club: Club) -> None:
    await club.challenge(club.alice, club.carol)
    challenge = club.last_card()
    await club.match(turns=["e5"])
    board = club.last_card()
    question = (await club.press_old(club.bob, "resign")).private_handle
    for method, who, label, card in (
        ("ChallengeRepository.close", club.carol, "Accept", challenge),
        ("ChallengeRepository.get", club.carol, "Decline", challenge),
        ("MatchRepository.add_step", club.bob, "Play Dark", board),
        ("MatchRepository.with_draft", club.bob, "Play Dark", board),
        ("MatchRepository.with_homes", club.bob, "More…", board),
        ("MatchRepository.end", club.bob, "Yes, resign", question),
    ):
        before = club.seen(card)
        with failing(club, method):
            assert (await club.press(who, label, on=card)).private.startswith(WORDS), (method, label)
        assert club.seen(card) == before


async def test_the_code_of_a_failure_is_in_the_log_with_its_cause(club: Club) -> None:
    await club.match()
    with failing(club, "MatchRepository.add_step"):
        answer = await club.slash(club.alice, "move", turn="e5")
    (event,) = [event for event in club.log if event["event"] == "interaction_failed"]
    assert f"`{event['code']}`" in answer.private
    assert str(event["exc_info"]) == "a bug"
    assert await club.turns() == ()
    await club.move(club.alice, "e5")


async def test_a_full_disk_is_explained_and_logged(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.match()
    for method, expected, turns in (
        ("MatchRepository.add_step", "The database cannot be used at the moment, so nothing was stored.", ()),
        ("DeliveryRepository.set_message", "The database failed just now, so I do not know whether", ("e5",)),
    ):
        with monkeypatch.context() as patch:
            patch_storage(patch, method, full_disk)
            club.expect_failure("database_failed")
            answer = await club.slash(club.alice, "move", turn="e5")
        assert answer.private.startswith(expected)
        assert await club.turns() == turns
    assert [each["database"] for each in club.log if each["event"] == "database_failed"] == ["SQLITE_FULL"] * 2
    await club.move(club.bob, "light")


async def test_failing_suggestions_are_empty(club: Club) -> None:
    await club.match()
    for option, method in (("turn", "MatchRepository.candidates"), ("match", "SearchRepository.suggestions")):
        with failing(club, method, "autocomplete_failed"):
            assert await club.offers(club.alice, "e", option=option) == []
        assert await club.offers(club.alice, "", option=option)


async def test_a_wrong_match_number_is_explained_among_the_suggestions_and_not_logged(club: Club) -> None:
    await club.match()
    before = len(club.log)
    for number in ("", "x", "#", "1.5", "9" * 30, "99"):
        (offered,) = await club.offers(club.alice, "e5", match=number)
        assert offered["value"] == "e5"
        assert offered["name"].startswith("✗ ") is (number != "")
        assert "</" not in offered["name"]
    await club.offers(club.carol, "e5", match="1")
    assert club.log[before:] == []


async def test_the_bot_does_nothing_when_it_is_too_late_to_answer(club: Club) -> None:
    await club.match()
    club.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062)
    assert not (await club.alice.slash(club.channel, "move", turn="e5")).acknowledged
    club.expected_silence = 1
    assert await club.turns() == ()


async def test_an_interaction_that_was_acknowledged_before_an_error_counts(club: Club) -> None:
    await club.match()
    # The library's second try finds the interaction answered.
    club.env.inject_error("POST", "/interactions/*/*/callback", status=400, code=40060)
    result = await club.alice.slash(club.channel, "move", turn="e5")
    club.expected_silence = 1
    assert not result.acknowledged
    assert await club.turns() == ("e5",)


async def test_an_answer_that_cannot_be_delivered_is_logged(club: Club) -> None:
    await club.match()
    club.env.inject_error("PATCH", "/webhooks/*/*/messages/@original", status=500)
    await club.slash(club.bob, "move", turn="e5")
    assert [event["event"] for event in club.log if event["log_level"] == "warning"] == ["answer_not_delivered"]


async def test_a_stored_change_is_shown_later_if_the_answer_failed(club: Club) -> None:
    await club.match(turns=["e5"])
    moderator = club.join_as_moderator("Mo")
    menu = await club.press(moderator, "More…")
    await club.press(moderator, "End this match…", on=menu.private_handle)
    club.refuse("PATCH", status=400, times=99)
    club.expect_failure("interaction_failed")
    await club.press(moderator, "End this match", on=menu.private_handle)
    club.accept_again()
    assert (await club.newest_match()).result is not None
    await club.env.advance_time(60)
    assert "Mo ended this match" in club.card().text


async def test_every_command_is_acknowledged_at_once_and_privately(club: Club) -> None:
    await club.match(turns=["e5"])
    every: list[tuple[str, dict[str, Any]]] = [
        ("challenge", {"game": "dalen"}),
        ("move", {"turn": "light"}),
        ("board", {}),
        ("resign", {}),
        ("pass", {}),
        ("leaderboard", {}),
    ]
    for command, options in every:
        since = len(club.env.http_requests)
        await club.slash(club.bob, command, **options)
        first = club.env.http_requests[since]
        assert first.path.endswith("/callback")
        assert first.json == {"type": 5, "data": {"flags": 64}}


async def test_a_press_is_acknowledged_first_without_changing_its_message(club: Club) -> None:
    acknowledged = list[bool]()
    sent = club.env.http_requests

    def note(*_: object) -> None:
        acknowledged.append(any(each.path.endswith("/callback") for each in sent[since:]))

    engine = club.app.database.engine.sync_engine
    event.listen(engine, "begin", note)
    try:
        since = len(sent)
        await club.challenge(club.alice, club.bob, first="challenger")
        for who, label in ((club.bob, "Accept"), (club.alice, "More…"), (club.carol, "More…")):
            since = len(sent)
            await club.press(who, label)
            assert sent[since].path.endswith("/callback")
            assert sent[since].json == {"type": 6}
    finally:
        event.remove(engine, "begin", note)
    assert all(acknowledged), "the database is asked afterwards"


async def test_a_press_whose_form_takes_too_long_is_answered(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(*_: object) -> Any:
        await asyncio.Event().wait()

    await club.match()
    monkeypatch.setattr("bot.discord.gateway.dispatcher._FORM_PATIENCE", 0, raising=False)
    with pytest.MonkeyPatch.context() as patch:
        patch_storage(patch, "SettingsRepository.preferences", hang)
        answer = await club.press(club.alice, "Type it")
    assert answer.private == "I have a lot to do at the moment. Please press that again."
