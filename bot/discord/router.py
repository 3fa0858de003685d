"""Routes every press of a button, choice from a menu and form that was sent off to its handler."""

from __future__ import annotations

from collections.abc import Iterable

from bot.discord import legacy_router
from bot.discord.feature import Feature, FormOpener, Handler
from bot.discord.interactions import Interaction
from bot.discord.messages import Form, Press


class Router:
    """One table of the handlers that the features registered, by action."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self._handlers: dict[str, Handler] = {}
        self._form_openers: dict[str, FormOpener] = {}
        for feature in features:
            for action, handler in feature.handlers:
                assert action not in self._handlers, f"two handlers for {action}"
                self._handlers[action] = handler
            for action, opener in feature.form_openers:
                assert action not in self._form_openers, f"two forms for {action}"
                self._form_openers[action] = opener

    async def form(self, interaction: Interaction, press: Press | None) -> Form | None:
        """The form that a press opens, if it opens one. Nothing is acknowledged yet, so this has to be quick.

        What it raises is told to the user in place of the form.
        """
        opener = None if press is None else self._form_openers.get(press.action)
        return None if opener is None or press is None else await opener(interaction, press)

    async def handle(self, interaction: Interaction, press: Press | None) -> None:
        """Do what was pressed; the interaction is acknowledged already."""
        handler = None if press is None else self._handlers.get(press.action)
        if handler is None or press is None:
            await legacy_router.handle_press(interaction, press)
        else:
            await handler(interaction, press)
