"""Adds Corral to the registries for the time of a test: the two lines that a new game needs outside its folders."""

from __future__ import annotations

import pytest

import render
from render.face import Face
from rules import GAMES
from tests.support.corral import Corral
from tests.support.corral.face import CorralFace


def register(patch: pytest.MonkeyPatch) -> type[Corral]:
    """Add the game to the registry of ``rules`` until the patch is undone."""
    patch.setitem(GAMES, Corral.name, Corral)
    return Corral


def register_face(patch: pytest.MonkeyPatch) -> Face[Corral]:
    """Add the face to the registry of ``render`` until the patch is undone."""
    face = CorralFace()
    patch.setitem(render.FACES, Corral.name, face)
    return face
