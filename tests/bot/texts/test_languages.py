"""Languages, and translations of what the rules say."""

from __future__ import annotations

import random

import pytest

import rules
from bot import texts
from rules import Phase, Position, TurnError
from tests.support.thorough import sample


@pytest.mark.parametrize(
    ("locale", "language"),
    [("de", "de"), ("es-ES", "es"), ("es-419", "es"), ("en-US", "en"), ("pt-BR", "en"), ("", "en"), ("xx", "en")],
)
def test_the_language_of_a_locale(locale: str, language: str) -> None:
    assert texts.language_of(locale) == language


def test_a_language_applies_only_within_its_block() -> None:
    with texts.in_language("de"):
        with texts.in_language("es"):
            assert texts.gettext("Accept") == "Aceptar"
        assert texts.gettext("Accept") == "Annehmen"
    assert texts.gettext("Accept") == "Accept"


@pytest.mark.parametrize(("count", "said"), [(1, "1 Sieg"), (2, "2 Siege"), (0, "0 Siege")])
def test_a_number_chooses_the_form(count: int, said: str) -> None:
    with texts.in_language("de"):
        assert texts.ngettext("{count} win", "{count} wins", count).format(count=count) == said


def test_a_refusal_is_translated_and_english_by_default() -> None:
    position = rules.ruleset("dalen", 5).replay(["e5", "light"])
    with pytest.raises(TurnError) as caught:
        position.parse("e5")
    assert str(caught.value) == "e5 is taken by a dark stone"
    assert caught.value.translate(texts.catalogue("de")) == "e5 ist besetzt: Dort steht ein dunkler Stein"
    assert caught.value.translate(texts.catalogue("es")) == "e5 está ocupada: allí está una piedra oscura"


@pytest.mark.parametrize("language", ["de", "es"])
def test_the_words_of_every_game_are_in_the_catalogues(language: str) -> None:
    translated = texts.catalogue(language).gettext
    for game in rules.GAMES.values():
        for word in (*game.sides, *game.variants, *game.reasons.values()):
            assert translated(word) != word or word == "standard"


@pytest.mark.parametrize("game", rules.GAMES)
def test_every_refusal_of_a_game_is_translated(game: str) -> None:
    """Random games, and in each position whatever somebody might type."""
    chance = random.Random(game)
    kind = rules.GAMES[game]
    for size in sample(kind.sizes[:2], 2):
        position = rules.ruleset(game, size, kind.variants[-1]).start()
        for _ in range(60):
            for typed in nonsense(position, chance):
                refused = refusal(position, typed)
                for language in ("de", "es"):
                    assert refused is None or refused.translate(texts.catalogue(language)) != str(refused)
            if position.phase is Phase.OVER:
                break
            begun, elements = "", position.draft().next
            while elements:
                begun += chance.choice(elements)
                draft = position.draft(begun)
                elements = () if draft.complete else draft.next
            position, _events = position.play(begun)


def refusal(position: Position, typed: str) -> TurnError | None:
    try:
        position.parse(typed)
    except TurnError as error:
        return error
    return None


def nonsense(position: Position, chance: random.Random) -> list[str]:
    """Texts that look like turns; most are none."""
    cells = [position.board.name(cell) for cell in position.board.cells]
    one, other, third = (chance.choice(cells) for _ in range(3))
    marked = [f"{one}{mark}{other}" for mark in "-+*,"]
    return [one, *marked, f"{marked[0]}+{third}", f"{marked[0]}-{third}", "pass", "dark", "white", "z1", "q99", "hello"]
