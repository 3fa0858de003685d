"""Durations and time controls in words: writing and reading."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import dropwhile

from babel import units

from bot.domain.clocks import CAPPED_FROM, LONGEST, LONGEST_BONUS, NO_TIME, SHORTEST, TimeControl, TimeControlError
from bot.texts import current_language, gettext as _
from rules.notation import plain

#: Babel's names for the units, and their lengths in seconds.
_UNITS = {"duration-day": 86400, "duration-hour": 3600, "duration-minute": 60, "duration-second": 1}


def span(time: timedelta) -> str:
    """A duration in its two largest units, such as ``2 days 12 hours``, rounded down."""
    rest = int(time.total_seconds())
    counts = {}
    for unit, seconds in _UNITS.items():
        counts[unit], rest = divmod(rest, seconds)
    largest = list(dropwhile(lambda unit: not counts[unit], counts))[:2]
    shown = [unit for unit in largest if counts[unit]] or ["duration-second"]
    # Babel's own lists have a comma or “y” here, which is hard to read in “2 days 12 hours + 1 day a turn”.
    return " ".join(units.format_unit(counts[unit], unit, locale=current_language()) for unit in shown)


def time_control(control: TimeControl | None) -> str:
    """A time control, such as ``3 days + 1 day a turn``."""
    if control is None:
        return _("no clock")
    bank, bonus = span(control.bank), span(control.bonus)
    if control.per_turn:
        text = _("{time} a turn").format(time=bank)
    elif control.bonus:
        text = _("{time} + {bonus} a turn").format(time=bank, bonus=bonus)
    else:
        text = _("{time} for the whole match").format(time=bank)
    return _("{control}, strict").format(control=text) if control.hard else text


# Reading

_UNIT_NAMES = {
    1: "s sec secs second seconds sek sekunde sekunden seg segundo segundos",
    60: "m min mins minute minutes minuten minuto minutos",
    3600: "h hr hrs hour hours std stunde stunden hora horas",
    86400: "d day days t tag tage tagen dia dias",
    604800: "w wk week weeks woche wochen semana semanas",
}
_UNIT = {word: timedelta(seconds=seconds) for seconds, words in _UNIT_NAMES.items() for word in words.split()}
_NONE = {
    *("", "-", "none", "no", "no clock", "off"),
    *("keine", "ohne", "keine uhr", "ohne uhr"),
    *("ninguno", "sin", "sin reloj"),
}
# A number must not follow a digit: a search from every digit of a long number would take quadratic time.
_TERM = re.compile(r"((?<!\d)\d+(?:[.,]\d+)?|an?\b|ein(?:e|en)?\b|una?\b)\s*([^\W\d_]+)")
_PER_TURN = re.compile(r"(?:(?:\b(?:a|per|each|every|pro|je|por|cada)|/)\s*(?:turn|move|zug|jugada|turno)s?)")
_WHOLE = re.compile(r"\b(?:for the (?:whole )?(?:game|match)|fur die ganze partie|para toda la partida)\b")
_CAP = re.compile(r"\b(?:max|cap|at most|up to|hochstens|bis|maximo|hasta)\b")
_HARD = re.compile(r"\b(?:hard|strict|streng|hart|estricto)\b")
_SOFT = re.compile(r"\b(?:soft|claim)\b")
_ACCENTS = str.maketrans("áéíóúäöü", "aeiouaou")


def read_time_control(typed: str) -> TimeControl | None:
    """Read a typed time control; None for no clock. Raises :class:`TimeControlError`.

    Examples are ``3 days + 1 day``, ``2d+12h max 5d``, ``1 day a turn`` and ``10m+30s strict``. A single time is per
    turn, unless it is less than an hour or ``for the whole match``. This reads everything that :func:`time_control`
    writes in any language.
    """
    text = " ".join(plain(typed).casefold().translate(_ACCENTS).split())
    hard = bool(_HARD.search(text))
    text = _SOFT.sub(" ", _HARD.sub(" ", text)).strip(" ,;·()")
    if text in _NONE and (text or not typed.strip()):
        return None
    each_turn = _PER_TURN.search(text) is not None
    whole = _WHOLE.search(text) is not None
    text = _WHOLE.sub(" ", _PER_TURN.sub(" ", text))
    text, *caps = _CAP.split(text)
    terms = [_read_time(term, typed) for term in text.strip(" ,;·()").split("+")]
    cap = _read_time(caps[0], typed) if caps else None
    if len(terms) > 2 or len(caps) > 1 or (caps and len(terms) == 1):
        raise TimeControlError(typed, "unclear")
    bank, bonus = terms[0], terms[1] if len(terms) == 2 else NO_TIME
    if bank < SHORTEST:
        raise TimeControlError(typed, "short")
    if bank > LONGEST or bonus > LONGEST_BONUS or (cap is not None and cap > LONGEST):
        raise TimeControlError(typed, "long")
    if len(terms) == 1 and not whole and (each_turn or bank >= CAPPED_FROM):
        return TimeControl.turns_of(bank, hard=hard)
    return TimeControl.banks_of(bank, bonus, None if cap is None else max(cap, bank), hard=hard)


def _read_time(text: str, typed: str) -> timedelta:
    text = text.strip(" ,;·()")
    total, end = NO_TIME, 0
    for term in _TERM.finditer(text):
        unit = _UNIT.get(term[2])
        if unit is None or text[end : term.start()].strip(" ,") not in ("", "and", "und", "y"):
            raise TimeControlError(typed, "unclear")
        number = float(term[1].replace(",", ".")) if term[1][0].isdigit() else 1.0
        if number > LONGEST / unit or total > LONGEST:
            raise TimeControlError(typed, "long")
        total += timedelta(seconds=round(number * unit.total_seconds()))
        end = term.end()
    if end == 0 or text[end:].strip(" ,"):
        raise TimeControlError(typed, "unclear")
    return total
