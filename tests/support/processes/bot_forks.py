"""Work that every bot process does first, done once in the process from which all are forked."""

from __future__ import annotations

import asyncio
import gc
from functools import partial

import asyncpg  # type: ignore[import-untyped]  # noqa: F401

import bot.storage.migrations  # noqa: F401
import tests.support.processes.bot_process  # noqa: F401
from bot.discord.gateway.lifecycle import warm_up_pictures
from bot.texts import LANGUAGES, catalogue
from bot.web.html.templates import environment
from render import canvas

canvas.SCALE = 1  # as in the forks
asyncio.run(warm_up_pictures(partial(asyncio.sleep, 0)))
for language in LANGUAGES:
    catalogue(language)
for template in environment().list_templates():
    environment().get_template(template)
gc.freeze()
