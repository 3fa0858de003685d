"""Games for tests, temporarily in the registries: the two lines that a new game needs outside its folders.

Corral has captures, prisoners, passes, its own event and its own overlays. Tern is as unlike this package's games as
the rules allow: it has one size, no handicap, no score, no passes, no marks and another designer, and ends soon. It is
included in the tests of any game.
"""

from __future__ import annotations

from typing import Any

import pytest
from discord import app_commands

import render
from bot.discord.interaction.options.ruleset import game_choices
from render.face import Face
from rules import GAMES, Position
from tests.support.corral import Corral
from tests.support.corral.face import CorralFace
from tests.support.discord.commands import feature_kinds
from tests.support.tern import Tern
from tests.support.tern.face import TernFace

_FACES: dict[type[Position], type[Face[Any]]] = {Corral: CorralFace, Tern: TernFace}


def register(patch: pytest.MonkeyPatch, game: type[Position] = Corral) -> None:
    """Add a game to the registry of ``rules`` until the patch is undone."""
    patch.setitem(GAMES, game.name, game)


def register_choice(patch: pytest.MonkeyPatch) -> None:
    """Add the registered games to the choices of all commands, which were fixed when their modules were imported."""
    for feature in feature_kinds():
        for command in feature.__cog_app_commands__:
            game = command._params.get("game") if isinstance(command, app_commands.Command) else None
            if game is not None:
                last = [choice for choice in game.choices if choice.value not in GAMES]
                patch.setattr(game, "choices", [*game_choices(explain=False), *last])


def register_face(patch: pytest.MonkeyPatch, game: type[Position] = Corral) -> None:
    """Add a game's face to the registry of ``render`` until the patch is undone."""
    patch.setitem(render.FACES, game.name, _FACES[game]())
