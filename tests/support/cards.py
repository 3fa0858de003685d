"""Cards as they are made, before they are sent: what they say, and whether they can be sent and read."""

from __future__ import annotations

import re

import render
from bot import texts
from bot.discord.ui.messages import Message

#: What is not for people on Discord: Markdown that it does not know, and claims as they are written on the pages.
FOREIGN = re.compile(r"\]\(|```|<sub>|\||\(\*ruling\*\)|^-# [a-z ]+:")


def written(post: Message) -> list[str]:
    return [item.content for item in post.view.walk_children() if hasattr(item, "content")]


def look() -> render.Look:
    return render.Look(texts=texts.translations())


def check_card(post: Message) -> None:
    """Whatever a card shows can be sent, and can be read on a phone."""
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
    """Whether each asterisk outside of code begins or ends something, so that none vanishes unseen."""
    bare = re.sub(r"`[^`]*`", "", text)
    return "*" not in re.sub(r"(\*{1,3})(?=\S)([^*]+)(?<=\S)\1", "", bare)
