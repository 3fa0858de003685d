"""Records: what is written can be read again, and what cannot be read is refused in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import Phase, Record, RecordError, Ruleset, Side, ruleset
from tests.rules.sample import RULESETS, ids, random_turns, repeatable

OWN_TAGS = {"Game", "Size", "Variant", "Result"}
OPENED = '[Game "dalen"]\n[Size "5"]\n\n'


def finished(rules_of: Ruleset) -> Record:
    turns = random_turns(rules_of)
    outcome = rules_of.replay(turns).outcome
    assert outcome is not None
    return Record(rules_of, turns, Record.result_of(outcome.winner))


def refusal(text: str) -> str:
    with pytest.raises(RecordError) as caught:
        Record.parse(text)
    return str(caught.value)


@pytest.mark.parametrize("rules_of", RULESETS, ids=ids)
def test_a_finished_game_is_read_as_it_was_written(rules_of: Ruleset) -> None:
    record = finished(rules_of)
    read = Record.parse(str(record))
    assert read == record
    assert read.position() == rules_of.replay(record.turns)
    assert str(read) == str(record)


@repeatable
@given(
    st.sampled_from(RULESETS),
    st.integers(0, 30),
    st.sampled_from(["*", "1-0", "0-1", "1/2-1/2"]),
    st.dictionaries(
        st.from_regex(r"\A[A-Z][A-Za-z0-9_]{0,9}\Z").filter(lambda tag: tag not in OWN_TAGS),
        st.one_of(st.text(), st.text('"\\[]{}\n %;', max_size=8)),
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


def test_the_lines_of_a_long_record_are_short_and_break_between_turns() -> None:
    record = finished(ruleset("dalen", 9))
    lines = str(record).split("\n\n")[1].splitlines()
    assert len(lines) > 5
    assert all(len(line) <= 100 for line in lines)
    assert " ".join(lines).split() == [
        *(word for number, turn in enumerate(record.turns, 1) for word in (f"{number}.", turn)),
        record.result,
    ]


@pytest.mark.parametrize(
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
    ],
)
def test_turns_may_be_written_in_several_ways(turns: str) -> None:
    assert Record.parse(OPENED + turns) == Record(ruleset("dalen", 5), ("e5", "light", "d4"))


def test_a_record_without_size_and_variant_has_the_defaults() -> None:
    assert Record.parse('[Game "dalen"]') == Record(ruleset("dalen"))


def test_other_tags_are_kept_in_their_order() -> None:
    read = Record.parse('[Event "a"]\n[Game "dalen"]\n[Light "c"]\n[Dark "b"]\n\n*')
    assert list(read.tags.items()) == [("Event", "a"), ("Light", "c"), ("Dark", "b")]


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "*"])
def test_a_game_that_the_rules_did_not_end_may_have_any_result(result: str) -> None:
    assert Record.parse(f"{OPENED}1. e5 {result}").result == result


@pytest.mark.parametrize("turns", ["1. g7", ""])
def test_the_result_may_stand_in_its_tag_alone(turns: str) -> None:
    assert Record.parse(f'[Game "dalen"]\n[Result "0-1"]\n\n{turns}').result == "0-1"


@pytest.mark.parametrize("result", ["banana", "1-1", "", "½-½"])
def test_a_result_that_is_none_is_refused(result: str) -> None:
    assert refusal(f'[Game "dalen"]\n[Result "{result}"]\n\n1. g7')


def test_a_result_that_is_not_that_of_the_turns_is_refused() -> None:
    record = finished(ruleset("dalen", 5))
    for wrong in {"1-0", "0-1", "1/2-1/2", "*"} - {record.result}:
        text = str(Record(record.ruleset, record.turns, wrong))
        assert refusal(text) == f"the result is {wrong}, but the turns end with annihilation"


def test_results_are_written_from_the_first_side() -> None:
    assert [Record.result_of(winner) for winner in (Side.FIRST, Side.SECOND, None)] == ["1-0", "0-1", "1/2-1/2"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no game “”; there is dalen"),
        ("1. e5", "there is no game “”; there is dalen"),
        ('[Game "chess"]', "there is no game “chess”; there is dalen"),
        ('[Game "dalen"', "there is no game “”; there is dalen"),
        ('[Game "dalen"][Size "4"]', "Dalen is played on sizes 5, 6, 7, 8, 9, not 4"),
        ('[Game "dalen"][Size "٣"]', "the size “٣” is not a number"),
        ('[Game "dalen"][Size "²"]', "the size “²” is not a number"),
        ('[Game "dalen"][Size "1e3"]', "the size “1e3” is not a number"),
        ('[Game "dalen"][Size "-7"]', "the size “-7” is not a number"),
        ('[Game "dalen"][Size ""]', "the size “” is not a number"),
        ('[Game "dalen"][Variant "reverse"]', "Dalen has the variants standard, leaves, not “reverse”"),
    ],
)
def test_a_record_of_no_known_game_is_refused(text: str, reason: str) -> None:
    assert refusal(text) == reason


def test_a_size_with_thousands_of_digits_is_refused() -> None:
    assert refusal(f'[Game "dalen"][Size "{"9" * 5000}"]')


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ("1. e5 2. light 3. e5 *", "turn 3, e5: e5 is taken by a dark stone"),
        ("1. e5 2. black", "turn 2, black: the second player chooses a side now: dark or light"),
        ("1. z1", "turn 1, z1: z1 is off the board, which runs from a1 to i9"),
        ("1. e5 {no end", "turn 2, {no: the second player chooses a side now: dark or light"),
        ("1. e5 * 2. light", "turn 2, *: the second player chooses a side now: dark or light"),
    ],
)
def test_an_illegal_turn_is_named_with_its_number(turns: str, reason: str) -> None:
    assert refusal(OPENED + turns) == reason


def test_a_turn_after_the_end_is_refused() -> None:
    record = finished(ruleset("dalen", 5))
    more = Record(record.ruleset, (*record.turns, "e5"), record.result)
    assert refusal(str(more)) == f"turn {len(more.turns)}, e5: the game is over, so no more turns can be played"


@repeatable
@given(
    st.one_of(
        st.text(),
        st.text(alphabet='[]"\\{}GameSizdln 0123456789.*-/\n'),
        st.text().map(lambda text: OPENED + text),
        st.lists(st.sampled_from(["e5", "light", "1.", "*", "1-0", "{", "}", "[Size", "pass", "d4", '"5"]', "\\"])).map(
            lambda words: OPENED + " ".join(words)
        ),
        st.text().map(lambda text: f'[Game "dalen"][Size "{text}"]'),
        st.text().map(lambda text: f'[Game "{text}"]'),
    )
)
def test_any_text_is_a_record_or_refused_with_a_reason(text: str) -> None:
    try:
        record = Record.parse(text)
    except RecordError as error:
        reason = str(error)
    else:
        reason = "it is a record"
        assert Record.parse(str(record)) == record
    assert reason.strip()
