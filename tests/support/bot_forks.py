"""What every process of the bot does first or compiles, done once in the process that all of them are forked from."""

from __future__ import annotations

import gc

import asyncpg  # type: ignore[import-untyped]  # noqa: F401

import bot.storage.migrations  # noqa: F401
import tests.support.bot_process  # noqa: F401
from bot.discord.ui.scenes import warm_up
from bot.texts import LANGUAGES, catalogue
from bot.web.pages import environment
from render import canvas

canvas.SCALE = 1  # as in the forks
warm_up()
for language in LANGUAGES:
    catalogue(language)
for template in environment().list_templates():
    environment().get_template(template)
gc.freeze()
