"""Pictures of positions, and the same positions in words."""

from __future__ import annotations

from render.colours import THEME_NAMES
from render.face import Face
from render.games import FACES, face
from render.overlays import overlays_of
from render.pictures import board_thumbnail, describe, picture, thumbnail
from render.scene import DEFAULT_LOOK, ENGLISH, Conclusion, Header, Look
from render.signs import Overlay
