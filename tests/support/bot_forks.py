"""What every process of the bot does first, done once in the process that all of them are forked from."""

from __future__ import annotations

import asyncio
import gc
from functools import partial

import bot.storage.migrations  # noqa: F401
import tests.support.bot_process  # noqa: F401
from bot.discord.gateway.lifecycle import warm_up_pictures
from bot.texts import LANGUAGES, catalogue
from render import canvas

canvas.SCALE = 1  # as in the forks
asyncio.run(warm_up_pictures(partial(asyncio.sleep, 0)))
for language in LANGUAGES:
    catalogue(language)
gc.freeze()
