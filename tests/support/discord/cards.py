"""Cards before they are sent: their texts and presses, and whether they can be sent and read."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, TypeVar

import render
from bot import texts
from bot.discord.ui.messages import Message
from bot.discord.ui.presses import Press, presses_of

AnyPress = TypeVar("AnyPress", bound=Press)

#: Text that must not appear on Discord: Markdown it does not support, and the claims in rule pages.
FOREIGN = re.compile(r"\]\(|```|<sub>|\||\(\*ruling\*\)|^-# [a-z ]+:")


def components_of(post: Message) -> list[dict[str, Any]]:
    """The components as Discord gets them."""
    components: list[dict[str, Any]] = post.view.to_components()  # type: ignore[no-untyped-call]
    return components


def written(post: Message) -> list[str]:
    return [item.content for item in post.view.walk_children() if hasattr(item, "content")]


def press_of(custom_id: str, *kinds: type[AnyPress]) -> AnyPress | None:
    """The press of a button with this id; None if it has another kind or is out of date."""
    return next(presses_of([SimpleNamespace(custom_id=custom_id)], *kinds), None)


def look() -> render.Look:
    return render.Look(texts=texts.translations())


def check_card(post: Message) -> None:
    """Check that a card can be sent, and read on a phone."""
    assert 0 < post.view.content_length() <= 3000
    assert len(list(post.view.walk_children())) <= 40
    assert len({picture.filename for picture in post.pictures}) == len(post.pictures)
    assert all(picture.png and picture.description for picture in post.pictures)
    ids = [item.custom_id for item in post.view.walk_children() if hasattr(item, "custom_id")]
    assert len(set(ids)) == len(ids)
    assert all(len(custom_id) <= 100 for custom_id in ids)
    for text in written(post):
        assert not FOREIGN.search(text), text
        assert is_balanced(text), text


def is_balanced(text: str) -> bool:
    """Whether each asterisk outside code begins or ends a span. Discord would swallow others."""
    bare = re.sub(r"`[^`]*`", "", text)
    return "*" not in re.sub(r"(\*{1,3})(?=\S)([^*]+)(?<=\S)\1", "", bare)
