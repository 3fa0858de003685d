"""The games by name, and the rulesets that can be played."""

from __future__ import annotations

from dataclasses import replace

from rules.dalen import Dalen
from rules.dendria import Dendria
from rules.errors import UnknownRuleset
from rules.fiodar import Fiodar
from rules.hedu import Hedu
from rules.nadraz import Nadraz
from rules.notation import with_names
from rules.position import Position, Ruleset

#: The games by name, in the order of display.
GAMES: dict[str, type[Position]] = {
    game.name: game
    for game in (
        Dalen,
        Dendria,
        Fiodar,
        Hedu,
        Nadraz,
    )
}


#: The game to begin with: a turn is one stone, and it ends by itself, without passes or a score.
FIRST_GAME: type[Position] = Dalen

#: The smallest board that programs may play on.
_SMALLEST = 3


def ruleset(game: str, size: int | None = None, variant: str | None = None, *, any_size: bool = False) -> Ruleset:
    """Return the ruleset of a game, by default of the usual size and variant. Raises :class:`UnknownRuleset`.

    With ``any_size``, the board may also be smaller than in matches, or of an intermediate size.
    """
    kind = GAMES.get(game)
    if kind is None:
        raise UnknownRuleset(
            "there is no game “{game}”; the games are {games}", game=with_names(game), games=", ".join(GAMES)
        )
    sizes = range(_SMALLEST, kind.sizes[-1] + 1) if any_size else kind.sizes
    if size is not None and size not in sizes:
        listed = ", ".join(map(str, sizes))
        raise UnknownRuleset("{game} is played on sizes {sizes}, not {size}", game=kind.title, sizes=listed, size=size)
    if variant is not None and variant not in kind.variants:
        raise UnknownRuleset(
            "{game} has the variants {variants}, not “{variant}”",
            game=kind.title,
            variants=", ".join(kind.variants),
            variant=with_names(variant),
        )
    return Ruleset(kind, size or kind.default_size, variant or kind.variants[0])


def ruleset_by_id(identity: str) -> Ruleset:
    """Return the ruleset with that :attr:`Ruleset.id`. Raises :class:`UnknownRuleset`.

    The setup, checked when it was made, is used unchanged. With a setup, the board may be of any size.
    """
    game, version, size, variant, setup = (identity.split("/", 4) + [""] * 5)[:5]
    if size.isascii() and size.isdecimal() and len(size) <= 2:
        found = replace(ruleset(game, int(size), variant, any_size=bool(setup)), setup=setup)
        if found.id == identity and str(found.game.version) == version:
            return found
    raise UnknownRuleset("there are no rules named “{identity}”", identity=identity)
