"""Adds Corral to the registries for the time of a test: the two lines that a new game needs outside its folders."""

from __future__ import annotations

import pytest
from discord import app_commands

import render
from bot.discord.gateway.features import FEATURES
from bot.discord.interaction.options.ruleset import game_choices
from render.face import Face
from rules import GAMES
from tests.support.corral import Corral
from tests.support.corral.face import CorralFace


def register(patch: pytest.MonkeyPatch) -> type[Corral]:
    """Add the game to the registry of ``rules`` until the patch is undone."""
    patch.setitem(GAMES, Corral.name, Corral)
    return Corral


def register_choice(patch: pytest.MonkeyPatch) -> None:
    """Add the game to the choices of all commands, which were made when their modules were imported."""
    for feature in FEATURES:
        for command in feature.__cog_app_commands__:
            game = command._params.get("game") if isinstance(command, app_commands.Command) else None
            if game is not None:
                last = [each for each in game.choices if each.value not in GAMES]
                patch.setattr(game, "choices", [*game_choices(explain=False), *last])


def register_face(patch: pytest.MonkeyPatch) -> Face[Corral]:
    """Add the face to the registry of ``render`` until the patch is undone."""
    face = CorralFace()
    patch.setitem(render.FACES, Corral.name, face)
    return face
