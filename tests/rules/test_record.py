"""Records: written records can be read again, and unreadable ones are refused in words."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import given, strategies as st

from rules import Phase, Record, RecordError, Ruleset, Side, ruleset
from rules.record import text_of
from tests.support.each import for_each
from tests.support.positions import ANY_GAME, DEFAULT, RULESETS, SOME_RULESETS, end, ids, random_turns, repeatable

OWN_TAGS = {"Game", "Size", "Variant", "Result"}
OPENED = '[Game "dalen"]\n[Size "5"]\n\n'
NAMES = ", ".join(ANY_GAME)
N = 20_000  # in quadratic time, this would take very long
RESULTS = ["*", "1-0", "0-1", "1/2-1/2"]
every_game = for_each("rules_of", DEFAULT, ids)


def finished(rules_of: Ruleset) -> Record:
    outcome = end(rules_of).outcome
    assert outcome is not None
    return Record(rules_of, random_turns(rules_of), Record.result_of(outcome.winner))


def begun(rules_of: Ruleset, plies: int, **tags: str) -> Record:
    """The record of the first turns of a random game, or of a whole one."""
    turns = random_turns(rules_of)[:plies]
    outcome = rules_of.replay(turns).outcome
    return Record(rules_of, turns, "*" if outcome is None else Record.result_of(outcome.winner), tags)


def refusal(text: str) -> str:
    with pytest.raises(RecordError) as caught:
        Record.parse(text)
    return str(caught.value)


@for_each("rules_of", SOME_RULESETS, ids)
def test_a_finished_game_is_read_as_it_was_written(rules_of: Ruleset) -> None:
    record = finished(rules_of)
    read = Record.parse(str(record))
    assert (read, str(read), read.position()) == (record, str(record), end(rules_of))
    spaced = tuple(re.sub(r"([-+*,])", r" \1 ", turn).upper() for turn in record.turns)
    assert Record.parse(str(Record(rules_of, spaced, record.result))) == record


def test_the_games_of_these_tests_have_every_mark() -> None:
    turns = [turn for rules_of in SOME_RULESETS for turn in random_turns(rules_of)]
    assert all(any(mark in turn for turn in turns) for mark in "-+*,")


@repeatable
@given(
    st.sampled_from(RULESETS),
    st.integers(0, 30),
    st.sampled_from(RESULTS),
    st.dictionaries(
        st.from_regex(r"\A[A-Z][A-Za-z0-9_]{0,9}\Z").filter(lambda tag: tag.capitalize() not in OWN_TAGS),
        st.one_of(st.text(), st.text('"\\[]{}\r\n\trn %;\ufeff', max_size=8)),
        max_size=4,
    ),
)
def test_an_unfinished_game_with_any_tags_is_read_as_it_was_written(
    rules_of: Ruleset, length: int, result: str, tags: dict[str, str]
) -> None:
    record = Record(rules_of, random_turns(rules_of)[:length], result, tags)
    if record.position().phase is not Phase.OVER:
        assert Record.parse(str(record)) == record


def test_a_record_looks_like_this() -> None:
    record = Record(ruleset("dalen"), ("g7", "light", "e5"), "*", {"Dark": 'Ann "the \\ leaf"', "Light": "Bö"})
    assert str(record) == (
        '[Game "dalen"]\n[Size "7"]\n[Variant "standard"]\n[Dark "Ann \\"the \\\\ leaf\\""]\n[Light "Bö"]\n'
        '[Result "*"]\n\n1. g7 2. light 3. e5 *\n'
    )


@for_each(
    "case",
    [
        ("a\nb\r\n[c]", r"a\nb\r\n[c]"),
        ("\\new", r"\\new"),
        (
            "\x1b[2J\x07\x7f\x9b\u2028\u202e\u2066 Zoë 👩\u200d🚀\t\\u0041",
            r"\u001b[2J\u0007\u007f\u009b\u2028\u202e\u2066 Zoë 👩" + "\u200d" + r"🚀\u0009\\u0041",
        ),
    ],
)
def test_a_tag_is_on_one_line_and_shows_control_characters_by_number(case: tuple[str, str]) -> None:
    value, written = case
    record = Record(ruleset("hedu"), (), "*", {"Note": value})
    assert f'[Note "{written}"]' in str(record).splitlines()
    assert Record.parse(str(record)) == record


def test_a_long_turn_is_not_broken() -> None:
    turn = "d4-d9" + "+a1" * 60
    assert turn in str(Record(ruleset("dendria"), ("e5", turn, "e6"))).split()
    assert str(Record(ruleset("nadraz"), ("e5-e9",) * 99)).split().count("e5-e9") == 99


def test_the_lines_of_a_long_record_are_short_and_break_between_turns() -> None:
    record = finished(ruleset("dalen", 9))
    lines = str(record).split("\n\n")[1].splitlines()
    assert len(lines) > 5
    assert all(len(line) <= 100 for line in lines)
    assert " ".join(lines).split() == [
        *(word for number, turn in enumerate(record.turns, 1) for word in (f"{number}.", turn)),
        record.result,
    ]


@for_each(
    "turns",
    [
        "1. e5 2. light 3. d4 *",
        "1.e5 2.light 3.d4 *",
        "1... e5 2... light 3... d4 *",
        "e5 light d4",
        "E5 LIGHT D4 *",
        "1. e5 {a stone in the middle} 2. light {of course 3. d5} 3. d4 *",
        "{first} 1. e5\n2. light\n\n{over\ntwo lines}3. d4\n*\n",
        "\t1. e5\r\n2. light\r\n3. d4\r\n",
        "1. e5\r2. light ; to the end\r3. d4",
        "{a}{b}1.{c}e5{d} 2. light;3. d5 {\n3. d4{e}*{f};g",
        "; nothing\n1. e5 2. light 3. d4 ; }",
        "7. e5 7. light 1. d4",
    ],
)
def test_turns_may_be_written_in_several_ways(turns: str) -> None:
    assert Record.parse(OPENED + turns) == Record(ruleset("dalen", 5), ("e5", "light", "d4"))


@for_each(
    "case",
    [
        # Comments between tags.
        (
            '{a "game"} [Game "dalen"] ; [Dark "x"]\n{[Light "y"]}\n[Dark "Ann {not a comment} ; nor this"]\n*',
            Record(ruleset("dalen"), tags={"Dark": "Ann {not a comment} ; nor this"}),
        ),
        # A record that continues in the next block of code.
        (
            f"Look:\n```\n{OPENED}1. e5\n```\nand then\n```2. light 3. d4```",
            Record(ruleset("dalen", 5), ("e5", "light", "d4")),
        ),
        (f"\ufeff{OPENED}1. e5 *\n\x1a", Record(ruleset("dalen", 5), ("e5",))),
        *(
            (f'[Game "nadraz"]\n{turns}', Record(ruleset("nadraz"), ("e6,h9",)))
            for turns in ("1. E6 , h9 *", "e6,H9", "e6,\nh9 *", "1.e6 ,h9")
        ),
    ],
)
def test_comments_blocks_and_spaces_make_no_difference(case: tuple[str, Record]) -> None:
    text, record = case
    assert Record.parse(text) == record
    joined = f"\ufeff{OPENED}1. e5 *\n" * 2 + "\x1a"
    assert [record.turns for record in Record.parse_all(joined)] == [("e5",)] * 2


DASHES = "-‐‑‒–—―−－﹣"
UNSEEN = ["\u200b", "\u200d", "\u200e", "\u202b", "\u2066", "\ufeff", "\u00ad", "\ufe0f"]
SKIPPED = ["!", "??", " $14", " {a (b}", " ;) e5\n", " (7. e5 (7. d4 {)} d5) 8. e6)", "\n{[Game}\n"]
HEADINGS = [
    "# A game, e5!\n",
    "Zoë — Today at 14:03\n",
    "[Friendly] (no. 2)\n",
    "28.11.2026\n",
    "**Round 1**\n",
    "{ :-}\n",
    "> ok\n",
]


def decorated(record: Record, chance: random.Random, unseen: float = 0.1) -> str:
    """A record as people may paste it, with irrelevant additions."""
    tags, turns = str(record).split("\n\n")
    game = record.ruleset.game.name
    tags = tags.replace(
        f'Game "{game}"', chance.choice([f'GAME "{game.upper()}"', f"Game “{game.title()}”", f'game\xa0"{game}"'])
    )
    words = [
        word + (chance.choice(SKIPPED) if "." not in word and chance.random() < 0.3 else "") for word in turns.split()
    ]
    text = " ".join(words[:-1]).replace("1", "１").replace("+", "＋") + " " + words[-1]
    text = re.sub("-", lambda _: chance.choice(DASHES), text)
    text = "".join(character + (chance.choice(UNSEEN) if chance.random() < unseen else "") for character in text)
    heading, following = "".join(chance.choices(HEADINGS, k=2)), "".join(chance.choices(HEADINGS, k=2))
    return f"\ufeff{heading}```pgn\n{tags}\n\n{text}\n```\n{following}\x1a"


@repeatable
@given(st.sampled_from(SOME_RULESETS), st.integers(0, 60), st.randoms(use_true_random=False))
def test_text_pasted_around_and_between_turns_makes_no_difference(
    rules_of: Ruleset, plies: int, chance: random.Random
) -> None:
    record = begun(rules_of, plies, Note="a–b ½ ‼")
    assert not Record.parse(str(record)).shortened
    text = decorated(record, chance)
    assert Record.parse(text) == record
    assert list(Record.parse_all(text * 3)) == [record] * 3
    assert all(parsed.shortened for parsed in Record.parse_all(text * 2))


def test_annotations_and_variations_are_dropped_and_the_record_says_so() -> None:
    for turns in (
        "1. e5! 2. light?! $14 3. d4 *",
        "1. e5 (1. d5 (1. c5) 1. light) 2. light 3. d4",
        "e5 light ; d5\nd4",
    ):
        read = Record.parse(OPENED + turns)
        assert (read.turns, read.shortened) == (("e5", "light", "d4"), True)


@for_each("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_is_read_in_its_own_encoding(encoding: str) -> None:
    text = f"„Zoë“\n{OPENED}1. e5 *\n"
    assert text_of(text.encode(encoding)).removeprefix("\ufeff") == text
    assert Record.parse(text_of(text.encode(encoding) * 2 + b"\x1a" * ("16" in encoding))[: len(text) + 1]).turns == (
        "e5",
    )


def test_a_record_without_size_and_variant_has_the_defaults_and_other_tags_keep_their_order() -> None:
    read = Record.parse('[Event "a"]\n[Game "dalen"]\n[Light "c"]\n[Dark "b"]\n\n*')
    assert read == Record(ruleset("dalen"), tags=read.tags)
    assert list(read.tags.items()) == [("Event", "a"), ("Light", "c"), ("Dark", "b")]


@for_each("result", RESULTS)
def test_a_game_that_the_rules_did_not_end_may_have_any_result(result: str) -> None:
    assert Record.parse(f"{OPENED}1. e5 {result}").result == result
    for turns in ("1. g7", ""):
        assert Record.parse(f'[Game "dalen"]\n[Result "{result}"]\n\n{turns}').result == result


@for_each("result", ["banana", "1-1", ""])
def test_an_invalid_result_is_refused(result: str) -> None:
    error = refusal(f'[Game "dalen"]\n[Result "{result}"]\n\n1. g7')
    assert error == f"line 2: “{result}” is not a result; the results are 1-0, 0-1, 1/2-1/2, *"


@every_game
def test_a_result_that_contradicts_the_turns_is_refused(rules_of: Ruleset) -> None:
    record = finished(rules_of)
    outcome = record.position().outcome
    assert outcome is not None
    for wrong in {*RESULTS} - {record.result}:
        text = str(Record(rules_of, record.turns, wrong))
        line = len(text.splitlines())
        reason = rules_of.game.reasons[outcome.reason]
        error = f"the result is {wrong}, but the turns end {record.result} {reason}"
        assert refusal(text) == f"line {line}: {error}"
        assert refusal(text.removesuffix(f"{wrong}\n")) == f"line 4: {error}"


def test_a_finished_game_without_a_result_gets_the_result_of_its_turns() -> None:
    record = finished(ruleset("fiodar", 5))
    text = str(record).replace(f'[Result "{record.result}"]\n', "").removesuffix(f"{record.result}\n")
    assert record.result not in text
    assert Record.parse(text) == record


def test_the_tag_and_the_turns_must_have_the_same_result() -> None:
    for tag in RESULTS:
        for behind in RESULTS:
            text = f'[Game "hedu"]\n[Result "{tag}"]\n\n1. g7\n{behind}'
            if tag == behind:
                assert Record.parse(text).result == tag
            else:
                assert refusal(text) == f"line 5: the result is {behind} after the turns, but {tag} in the tag"


def test_results_are_written_with_the_first_side_first() -> None:
    assert [Record.result_of(winner) for winner in (Side.FIRST, Side.SECOND, None)] == ["1-0", "0-1", "1/2-1/2"]


@for_each(
    "case",
    [
        ("", f"line 1: the tag Game is missing; it names the game: {NAMES}"),
        ("1. e5", f"line 1: the tag Game is missing; it names the game: {NAMES}"),
        ('\n\n[Game "chess"]', f"line 3: there is no game “chess”; the games are {NAMES}"),
        ('[Game "dalen"\n1. e5', 'line 1: a tag is written [Name "value"]'),
        ('[Game "dalen"]\n[Dark "Ann]\n', 'line 2: a tag is written [Name "value"]'),
        ('[Game "dalen"]\n\n[[x]]', 'line 3: a tag is written [Name "value"]'),
        ('[Game "dalen"]\n[Dark "a"]\n[Dark "b"]', "line 3: the tag Dark appears twice"),
        ('[Game "dalen"][Size "4"]', "line 1: Dalen is played on sizes 5, 6, 7, 8, 9, not 4"),
        ('[Game "hedu"]\r\n[Size "6"]', "line 2: Hedu is played on sizes 5, 7, not 6"),
        ('[Game "dalen"]\r[Size "٣"]', "line 2: the size “٣” is not a number"),
        ('[Game "dalen"]\n{\n}[Size "²"]', "line 3: the size “²” is not a number"),
        *(
            (f'[Game "dalen"][Size "{size}"]', f"line 1: the size “{size}” is not a number")
            for size in ("1e3", "-7", "")
        ),
        ('[Game "dаlen"]', f"line 1: there is no game “dаlen (U+0430 CYRILLIC SMALL LETTER A)”; the games are {NAMES}"),
        ('[Game "dalen"]\n[Size "5"]\n[Setup "●e5 ○e5 dark"]\n*', "line 3: two pieces stand on e5"),
        ('[Variant "reverse"]\n[Game "dalen"]', "line 1: Dalen has the variants standard, leaves, not “reverse”"),
    ],
)
def test_a_record_of_an_unknown_game_is_refused(case: tuple[str, str]) -> None:
    text, reason = case
    assert refusal(text) == reason
    assert refusal(f'[Game "dalen"][Size "{"9" * 5000}"]')


@for_each(
    "case",
    [
        ("1. e5 2. light 3. e5 *", "line 4, turn 3, e5: e5 is taken by a dark stone"),
        ("1. e5\n2. light {a\nb} ; c\n3. E5 *", "line 7, turn 3, E5: e5 is taken by a dark stone"),
        ("1. e5 2. black", "line 4, turn 2, black: the second player chooses a side now: dark or light"),
        ("1. z1", "line 4, turn 1, z1: z1 is off the board, which runs from a1 to i9"),
        ("1. e5 {no end", "line 4: this comment has no closing brace"),
        ("1. e5 {no\n end}}", "line 5: this closing brace ends no comment"),
        ("1. e5 {a} (2. light\n(3. d4)", "line 4: this variation has no closing parenthesis"),
        ("1. e5) 2. light", "line 4: this closing parenthesis ends no variation"),
        (
            "1. е5",
            "line 4, turn 1, е5: turns are written in plain letters, digits and signs such as - and +; "
            "U+0435 CYRILLIC SMALL LETTER IE is none of these",
        ),
        ("1. e5 *\n2. light", "line 5: “light” follows the result, *"),
        ("1. e5 0-1 *", "line 4: “*” follows the result, 0-1"),
        ('1. e5 *\n[Game "hedu"]', "line 5: the tag Game comes after the turns; a record holds one match"),
    ],
)
def test_an_illegal_turn_is_named_with_its_number(case: tuple[str, str]) -> None:
    turns, reason = case
    assert refusal(OPENED + turns) == reason


@every_game
def test_a_turn_after_the_end_is_refused(rules_of: Ruleset) -> None:
    record = finished(rules_of)
    text = str(Record(rules_of, record.turns, "")) + f"{len(record.turns) + 1}. e5"
    text = text.replace('[Result ""]\n', "")
    line, number = len(text.splitlines()), len(record.turns) + 1
    assert refusal(text) == f"line {line}, turn {number}, e5: the match is over, so no more turns can be played"


def test_a_message_is_short_and_on_one_line() -> None:
    error = refusal(f"{OPENED}1. e5 2. {'x' * 10_000}")
    assert error == f"line 4, turn 2, {'x' * 40}…: the second player chooses a side now: dark or light"
    assert "\n" not in refusal(f"{OPENED}e5,\nd4")


@for_each(
    "text",
    [
        *(sign * N for sign in (*"{;(`$!\u3164é–1 \n[*+a", "{}", "{\n}", "()", "[a “", "1.", '[a "', "* ", "- ")),
        *(word * N for word in ("e5 ", "e5 + ", "\n1. e5", "a b\n", "1. x", "```\n", "e5 `")),
        "[" + "\u3164" * N,
        "*\n" + "x\n" * N,
        "* " + "x " * N,
        '[a "' + "\\" * N,
        "e5" + " " * N + "+",
    ],
    lambda text: repr(text[:6]),
)
def test_a_very_long_text_is_refused_or_read_in_linear_time(text: str) -> None:
    started = time.process_time()
    for whole in (text, OPENED + text):
        try:
            Record.parse(whole)
        except RecordError as error:
            reason = str(error)
        else:
            reason = ""
        assert len(reason) < 200
    assert time.process_time() - started < 5


WORDS = ["e5", "light", "black", "1.", "*", "1-0", "{", "}", ";", "\n", "[Size", "pass", "d4", "e6,", '"5"]', "\\"]


@repeatable
@given(
    st.sampled_from(list(ANY_GAME)),
    st.one_of(
        st.text(),
        st.text(alphabet='[]"\\{};GameSizdln 0123456789.,+*-/\r\n'),
        st.lists(st.sampled_from([*WORDS, "e6,h9", "e5+d4", "e5-e6", "*d4", "+", "-"])).map(" ".join),
        st.text().map(lambda text: f'[Size "{text}"]'),
        st.text().map(lambda text: f'[Variant "{text}"] 1. e5'),
    ),
    st.integers(0, 12),
)
def test_any_text_is_a_record_or_refused_with_a_reason(game: str, text: str, plies: int) -> None:
    turns = " ".join(random_turns(ruleset(game))[:plies])
    for whole in (text, f'[Game "{game}"]\n{text}', f'[Game "{game}"]\n{turns} {text}', f'[Game "{text}"]'):
        try:
            record = Record.parse(whole)
        except RecordError as error:
            reason = str(error)
        else:
            reason = "line 0: it is a record"
            assert Record.parse(str(record)) == record
        assert re.match(r"line [0-9]+(: |, turn [0-9]+, )", reason)


def test_a_mistake_spoils_only_its_own_record() -> None:
    good = str(Record(ruleset("dalen", 5), ("e5", "light", "d4")))
    wrong = [
        good.replace("d4", "e5"),
        good.replace("3. d4", "{ 3. d4"),
        good.replace('[Size "5"]', "[Size 5]"),
        good.replace('[Size "5"]', '[Size "5"]\n[Size "5"]'),
        '[Size "5"]\n[Size "5"]\n' + good,
        good + "d5 d6",
        good.replace("dalen", "chess"),
        '[Size "5"]\n[Size "5"]\n1. e5 *\n',
    ]
    for mistake in wrong:
        found = list(Record.parse_each(f"{good}\n{mistake}\n{good}\n{mistake}\n{good}"))
        assert [isinstance(record, Record) for record in found] == [True, False, True, False, True], mistake
        with pytest.raises(RecordError):
            list(Record.parse_all(f"{good}\n{mistake}\n{good}"))
    assert list(Record.parse_each(good)) == [Record.parse(good)]
    with pytest.raises(RecordError, match=r"^line 6: the tag Game is missing"):
        list(Record.parse_all('[Game "dalen"]\n\n1. e5\n*\n\n[Dark "x"]\n*'))


def test_a_lone_surrogate_in_a_tag_is_replaced() -> None:
    tags = Record.parse('[Game "dalen"]\n[Dark "\\ud800"]\n*').tags
    assert tags["Dark"].encode() == b"?"


def test_unclosed_braces_are_read_once() -> None:
    text = OPENED + "{" * 12 * N + "\n" + OPENED + "1. e5 *"
    mistake, following = Record.parse_each(text)
    assert str(mistake) == "line 4: this comment has no closing brace"
    assert isinstance(following, Record)
