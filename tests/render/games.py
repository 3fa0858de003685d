"""Positions of all games that have pictures."""

from __future__ import annotations

import random
from functools import cache

import render
import rules
from render import panel, replay, sprites
from render.look import Scene
from render.replay import Shot
from rules import PASS, Ruleset

#: Each of them on its smallest, its usual and its largest board, in all variants.
RULESETS = [
    Ruleset(rules.GAMES[name], size, variant)
    for name in render.FACES
    for variant in rules.GAMES[name].variants
    for size in sorted({rules.GAMES[name].sizes[0], rules.GAMES[name].default_size, rules.GAMES[name].sizes[-1]})
]
USUAL = [rules.ruleset(name) for name in render.FACES]


@cache
def random_game(ruleset: Ruleset, turns: int, seed: int = 7) -> tuple[Shot, ...]:
    """A game in which nobody passes who can do something else, up to that many turns."""
    chance = random.Random(seed)
    position = ruleset.start()
    draft = position.draft()
    while not draft.complete:
        draft = position.draft(draft.text + chance.choice(draft.steps))
    played: list[str] = []
    turn = draft.text
    while len(played) < turns:
        played.append(turn)
        position, _ = position.play(turn)
        if not position.legal_turns:
            break
        turn = chance.choice([each for each in position.legal_turns if each != PASS] or position.legal_turns)
    return tuple(replay.shots(ruleset, played))


def hidden_labels(scene: Scene) -> set[str]:
    """The labels of the board on which something in the corners of the picture lies, or that it nearly touches."""
    face, place = render.face(type(scene.position)), scene.place
    theme = face.themes[scene.look.scheme]
    image = sprites.blank(theme, place.width, place.height)
    image.paste(theme.palette.index(theme.panel), (0, 0, *image.size))
    panel.draw(image, scene, face, theme)
    hidden = set()
    for label in (*place.letters, *place.numbers, *place.names):
        left, top, right, bottom = map(round, sprites.label_box(label, place))
        if len(image.crop((left - 1, top - 1, right + 1, bottom + 1)).getcolors() or ()) > 1:
            hidden.add(label.text)
    return hidden
