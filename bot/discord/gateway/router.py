"""Routes every press of a button, choice from a menu and submitted form to its handler."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bot.discord.interaction.feature import Feature, FormOpener, Handler
from bot.discord.interaction.interactions import Interaction
from bot.discord.ui import messages
from bot.discord.ui.messages import Form
from bot.discord.ui.presses import OutdatedPressError, Press, pressed_id, read_press, values_of


class Router:
    """The handlers of all features, by action."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self._kinds: dict[str, type[Press]] = {}
        self._handlers: dict[str, Handler] = {}
        self._form_openers: dict[str, FormOpener] = {}
        for feature in features:
            for kind, handler in feature.handlers:
                self._handlers[self._add(kind)] = handler
            for kind, opener in feature.form_openers:
                self._form_openers[self._add(kind)] = opener

    def _add(self, kind: type[Press] | str) -> str:
        action = kind if isinstance(kind, str) else kind.action
        assert action not in {**self._handlers, **self._form_openers}, f"two handlers for {action}"
        if not isinstance(kind, str):
            self._kinds[action] = kind
        return action

    def read(self, interaction: Interaction) -> Press:
        """Return what was pressed, chosen or filled in. Raises :class:`OutdatedPressError`."""
        if pressed_id(interaction).removeprefix("menu:").removeprefix("form:").startswith("hexgrove:1:"):
            old: Any = messages.Press.of(interaction)
            known = {**self._handlers, **self._form_openers}
            if old.action in self._kinds or old.action not in known:
                raise OutdatedPressError
            return old  # type: ignore[no-any-return]
        return read_press(self._kinds, pressed_id(interaction), values_of(interaction))

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
        await self._handlers[press.action](interaction, press)
