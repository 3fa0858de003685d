"""Routes every press of a button, choice from a menu, and submitted form to its handler."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable

from bot.discord.interaction.feature import Feature, FormOpener, Handler, is_loading_preferences
from bot.discord.interaction.interactions import Interaction
from bot.discord.ui.messages import Form
from bot.discord.ui.presses import Press, pressed_id, read_press, values_of


class Router:
    """The handlers of all features, by the kind of press."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self._kinds: dict[str, type[Press]] = {}
        self._handlers: dict[type[Press], Handler] = {}
        self._form_openers: dict[type[Press], FormOpener] = {}
        for feature in features:
            for kind, handler in feature.handlers:
                self._handlers[self._add(kind)] = handler
            for kind, opener in feature.form_openers:
                self._form_openers[self._add(kind)] = opener

    def _add(self, kind: type[Press]) -> type[Press]:
        assert kind.action not in self._kinds, f"two handlers for {kind.action}"
        self._kinds[kind.action] = kind
        return kind

    def read(self, interaction: Interaction) -> Press:
        """Read the press, with the user's choices or entries. Raises :class:`OutdatedPressError`."""
        return read_press(self._kinds, pressed_id(interaction), values_of(interaction))

    def opens_form(self, press: Press) -> bool:
        return type(press) in self._form_openers

    async def form(self, interaction: Interaction, press: Press) -> Form:
        """Return the form that a press opens. The press is not acknowledged yet, so be quick."""
        return await self._form_openers[type(press)](interaction, press)

    def loads_preferences(self, press: Press) -> bool:
        """Whether the press's handler loads the user's preferences itself."""
        return is_loading_preferences(self._handlers[type(press)])

    def handle(self, interaction: Interaction, press: Press) -> Awaitable[None]:
        """Call the handler of an acknowledged press."""
        return self._handlers[type(press)](interaction, press)
