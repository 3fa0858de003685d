"""Routes every press of a button, choice from a menu and submitted form to its handler."""

from __future__ import annotations

from collections.abc import Iterable

from bot.discord.interaction.feature import Feature, FormOpener, Handler
from bot.discord.interaction.interactions import Interaction
from bot.discord.ui.messages import Form, OutdatedPressError, Press


class Router:
    """The handlers of all features, by action."""

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

    def knows(self, press: Press) -> bool:
        """Whether anything handles the press."""
        return press.action in self._handlers or press.action in self._form_openers

    def opens_form(self, press: Press) -> bool:
        """Whether the press opens a form."""
        return press.action in self._form_openers

    async def form(self, interaction: Interaction, press: Press) -> Form:
        """Return the form that a press opens. Nothing is acknowledged yet, so this has to be quick.

        If this fails, the user gets the error's sentence instead of the form.
        """
        return await self._form_openers[press.action](interaction, press)

    async def handle(self, interaction: Interaction, press: Press) -> None:
        """Call the handler of a press; the interaction has been acknowledged."""
        handler = self._handlers.get(press.action)
        if handler is None:
            raise OutdatedPressError
        await handler(interaction, press)
