"""Names from outside, against a small model of what Discord makes of a message."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import discord
import pytest
from hypothesis import example, given, settings, strategies as st

import rules
from bot.discord.features.matches.games import ListedMatch, games_card
from bot.discord.posting.cards.challenge import challenge_card
from bot.discord.posting.cards.tournament import tournament_card
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import Message
from bot.domain.challenges import Challenge, ChallengeState, First
from bot.domain.competitions.cross_tables import cross_tables
from bot.domain.competitions.tournaments import Entrant, Tournament, TournamentState
from bot.domain.matches import Match, Pending, PendingPage
from bot.domain.places import Place
from bot.domain.players import Player
from bot.wording import words
from bot.wording.quoting import as_markdown, as_text
from bot.wording.sentence import Sentence
from tests.support.discord.markdown import rendered
from tests.support.positions import repeatable
from tests.support.thorough import fewer

ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PIECES = (
    *(
        "[click",
        "](https://evil.example/x)",
        "[a](b)",
        "[a](<https://b>)",
        "https://a.example",
        "http://",
        "discord://-/",
    ),
    *("steam://run/1", "<https://a.example>", "<@123>", "<@!123>", "<#456>", "<@&789>", "</board:12>", "<id:guide>"),
    *("<t:1700000000:R>", "<:a:1>", "<a:a:1>", "<mailto:a@b.example>", "a@b.example", "@everyone", "@here", "@"),
    *("# ", "## ", "-# ", "- ", "* ", "1. ", "> ", ">>> ", "`", "```", "``", "**", "*", "__", "_", "~~", "||", "\\"),
    *(
        "\n",
        "\r\n",
        "\t",
        "\u2028",
        " ",
        "\u200b",
        "\u200d",
        "\u200c",
        "\u2060",
        "\ufeff",
        "\u00ad",
        "\u3164",
        "\u2800",
    ),
    *("\u202e", "\u202d", "\u2066", "\u2067", "\u2068", "\u2069", "\u200f", "\u200e", "\u061c", "\U000e0041", "\u0301"),
    *(
        "שלום",
        "مرحبا",
        "Alice",
        "Ω",
        "中文",
        "👩‍🚀",
        "🏳️‍🌈",
        "e\u0301",
        "0",
        "1",
        "(",
        ")",
        "<",
        ">",
        ":",
        "/",
        "!",
        "&",
    ),
)
NAMES = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join)


def check_shown(text: str) -> None:
    """What somebody calls themselves is one line, without what cannot be seen, and turns nothing round."""
    assert text.count(ISOLATE) == text.count(END) <= 1
    inner = text.removeprefix(ISOLATE).removesuffix(END)
    right_to_left = any(unicodedata.bidirectional(each) in ("R", "AL", "AN") for each in inner)
    assert text.startswith(ISOLATE) is text.endswith(END) is right_to_left
    assert inner == inner.strip()
    assert len(inner) <= 100
    for each in inner:
        assert unicodedata.category(each) not in ("Cc", "Cf", "Zl", "Zp", "Cs") or each in "\u200c\u200d"
    assert not re.search("[\u200c\u200d]{2}|(?:^|\\s)[\u200c\u200d]|[\u200c\u200d](?:\\s|$)", inner)
    marks = "".join("m" if unicodedata.category(each) in ("Mn", "Me") else " " for each in inner)
    assert "m" * 5 not in marks


@settings(repeatable, max_examples=fewer(400, 4))
@given(NAMES)
@example("[click")
@example("](https://evil.example/x)")
@example("\\")
@example("1. a")
@example("@\u200beveryone")
def test_a_name_is_letters_wherever_it_stands(name: str) -> None:
    check_shown(as_text(name))
    quoted = as_markdown(name)
    for before, after in (("", ""), ("### ", " challenges Bob"), ("**", "**"), ("-# ", " · x"), ("> ", ""), ("[", "")):
        plain = rendered(f"{before}Alice{after}")
        parts, letters = rendered(f"{before}{quoted}{after}")
        assert parts == plain[0]
        assert letters.replace(ZERO_WIDTH, "") == plain[1].replace("Alice", as_text(name))


@repeatable
@given(NAMES, NAMES, NAMES)
@example("[click", "](https://evil.example/x)", "")
@example("`", "`", "```")
@example("\u202e", "אב", "<@1>")
def test_names_break_out_of_no_card(one: str, other: str, title: str) -> None:
    for mine, usual in zip(cards(one, other, title), usual_parts(), strict=True):
        assert [rendered(text)[0] for text in texts(mine)] == usual
        for text in texts(mine):
            assert text.count(ISOLATE) == text.count(END)


@cache
def usual_parts() -> list[list[list[str]]]:
    """What the texts of each card are made of beside letters."""
    return [[rendered(text)[0] for text in texts(card)] for card in cards("Alice", "Bob", "Cup")]


def cards(one: str, other: str, title: str) -> list[Message]:
    """Cards that name two people and a tournament, which have a name."""

    def named(name: str, instead: str) -> str:
        return name if as_text(name) else instead

    alice, bob = Player(1, named(one, "Alice")), Player(2, named(other, "Bob"))
    place, dalen = Place(1, 2), rules.ruleset("dalen", 5)
    challenge = Challenge(1, place, alice, bob, dalen, First.CHALLENGER, ChallengeState.OPEN, NOW, NOW, None)
    match = Match(1, 1, dalen, place.guild_id, alice, bob, 0, 0, None, NOW, NOW)
    page = PendingPage((Pending(match, bob, NOW),), 1, 1, 1, 0, 0)
    tournament = Tournament(
        1, place, named(title, "Cup"), alice, dalen, None, 2, TournamentState.OPEN, NOW,
        (Entrant(alice), Entrant(bob)),
    )  # fmt: skip
    return [
        challenge_card(challenge),
        challenge_card(replace(challenge, state=ChallengeState.DECLINED)),
        games_card(
            page,
            [ListedMatch(page.matches[0], 2, "https://discord.com/x", None)],
            {},
            alice,
            CommandMentions(),
            mine=False,
        ),
        tournament_card(cross_tables(tournament)),
    ]


def texts(post: Message) -> list[str]:
    return [item.content for item in post.view.walk_children() if isinstance(item, discord.ui.TextDisplay)]


@repeatable
@given(NAMES)
def test_pictures_and_sentences_show_the_same_letters(name: str) -> None:
    drawn = words.drawable_name(Player(1, name))
    assert drawn
    assert drawn == " ".join(drawn.split())
    assert not set(drawn) & {ISOLATE, END, "\u202e"}
    assert Sentence("**{name}**").format(name=as_markdown(name)).plain == as_text(name)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Anna", "Anna"),
        ("O'Brien & Co.", "O'Brien & Co."),
        ("two\nlines", "two lines"),
        ("\u202eevil", "evil"),
        ("שלום", f"{ISOLATE}שלום{END}"),
        ("👩‍🚀", "👩‍🚀"),
        ("a\u200d\u200d\u200db\u200d", "a\u200db"),
        ("Z" + "\u0301" * 30, "Ź" + "\u0301" * 4),
        ("\u3164\u200b\u2800", ""),
        ("x" * 5000, "x" * 100),
    ],
)
def test_a_name_loses_only_what_nobody_can_see(name: str, shown: str) -> None:
    assert as_text(name) == shown
    assert words.plain_name(Player(1, name)) == (shown or "Anonymous player")
    assert words.name(Player(-1, name if shown == "" else "")) == "a deleted player"
