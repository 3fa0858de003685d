"""``/import``: records of games played elsewhere, pasted or from a file, to replay, review, try and continue."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import discord
from discord import app_commands
from discord.utils import format_dt

from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.transport.answers import Answer
from bot.discord.transport.requests import DISCORD_FAILURES
from bot.discord.ui.actions import AboutMatch, AskToDeleteImport, ChooseReplay, ListImports
from bot.discord.ui.messages import (
    ActionButton,
    Form,
    Menu,
    Message,
    compose,
    confirmation,
    file_field,
    option_menu,
    text_field,
    turners,
)
from bot.discord.ui.presses import Id, Press, user_input
from bot.domain.matches import Match, MatchListPage
from bot.domain.study.imports import (
    LARGEST_FILE,
    MOST_AT_ONCE,
    MOST_IMPORTS,
    LargeFileError,
    LostFileError,
    text_in,
)
from bot.services.study.imports import ImportOutcome, Imports
from bot.texts import gettext as _, gettext_noop, ngettext
from bot.wording import words
from bot.wording.quoting import as_code, shorten
from bot.wording.refusals import mistake_in

#: Maximum number of characters in a field on Discord.
_LONGEST_PASTED = 4000
#: Maximum number of seconds until a file arrives.
_PATIENCE = 10.0
#: Maximum numbers of records and of mistakes in a list, and of characters in a mistake.
_MOST_LISTED, _MOST_EXPLAINED, _LONGEST_MISTAKE = 10, 5, 200


class OpenImportForm(Press, action="import"):
    pass


class ImportRecords(Press, action="import-records", longest_field=_LONGEST_PASTED):
    """Import the records in a pasted text and perhaps in a file."""

    text: str = user_input()
    files: tuple[Id, ...] = user_input()


class DeleteImport(AboutMatch, action="import-deleted"):
    pass


@dataclass
class ImportCommand(Feature):
    imports: Imports

    @app_commands.command(
        name="import", description=gettext_noop("Import records of matches, to replay, review, try and continue them")
    )
    @app_commands.describe(file=gettext_noop("A text file with records; without one, you can paste them"))
    async def import_records(self, interaction: Interaction, file: discord.Attachment | None = None) -> None:
        if file is None:
            await Answer.of(interaction).respond(await self._list(interaction, 1))
        else:
            await self._add(interaction, await _text_in(interaction, file.size, file.url))

    @opens_form(OpenImportForm)
    async def open_form(self, _interaction: Interaction, _press: OpenImportForm) -> Form:
        return import_form()

    @handles(ImportRecords)
    async def add(self, interaction: Interaction, press: ImportRecords) -> None:
        data: Any = interaction.data
        sent = data.get("resolved", {}).get("attachments", {})
        files = [sent[str(file_id)] for file_id in press.files if str(file_id) in sent]
        texts = [await _text_in(interaction, file["size"], file["url"]) for file in files]
        await self._add(interaction, press.text, *texts)

    @handles(ListImports)
    async def turn_to(self, interaction: Interaction, press: ListImports) -> None:
        await Answer.of(interaction).respond(await self._list(interaction, press.page))

    @handles(AskToDeleteImport)
    async def ask_to_delete(self, interaction: Interaction, press: AskToDeleteImport) -> None:
        await self.imports.check(press.match_id, interaction.user.id)
        question = _("**Delete record #{match}?** Your notes on it and the review go, too. This cannot be undone.")
        await Answer.of(interaction).respond(
            confirmation(
                question.format(match=press.match_id),
                DeleteImport(press.match_id),
                _("Yes, delete it"),
                ListImports(),
                _("Keep it"),
            ),
        )

    @handles(DeleteImport)
    async def delete(self, interaction: Interaction, press: DeleteImport) -> None:
        await self.imports.delete(press.match_id, interaction.user.id)
        await Answer.of(interaction).respond(await self._list(interaction, 1))

    async def _add(self, interaction: Interaction, *texts: str) -> None:
        outcomes, more = await self.imports.add(player_of(interaction.user), *texts)
        await Answer.of(interaction).follow_up(imported_card(outcomes, more=more))

    async def _list(self, interaction: Interaction, page: int) -> Message:
        return imports_card(await self.imports.page(interaction.user.id, page))


async def _text_in(interaction: Interaction, size: int, url: str) -> str:
    """The text of an uploaded file, after a check of its declared size. Raises a refusal."""
    if size > LARGEST_FILE:
        raise LargeFileError
    try:
        async with asyncio.timeout(_PATIENCE):
            data = await interaction.client.http.get_from_cdn(url)
    except (TimeoutError, *DISCORD_FAILURES):
        raise LostFileError from None
    if len(data) > LARGEST_FILE:
        raise LargeFileError
    return text_in(data)


def import_form() -> Form:
    about = _("One after another, such as downloaded matches")
    pasted = text_field("text", _("Records"), about, "", _LONGEST_PASTED, required=False, paragraph=True)
    first = _("I read the first {count} records in it.").format(count=MOST_AT_ONCE)
    return Form(ImportRecords(), _("Import records"), pasted, file_field("files", _("Or a text file"), first))


def imported_card(outcomes: Sequence[ImportOutcome], *, more: bool) -> Message:
    """The outcomes of an import; with ``more``, there were further records, which were not read."""
    matches = [outcome.match for outcome in outcomes if outcome.match is not None]
    readings = [outcome.reading for outcome in outcomes]
    mistakes = [(reading.number, reading.mistake) for reading in readings if reading.mistake is not None]
    entries = [_entry(outcome.match, before=outcome.before) for outcome in outcomes if outcome.match is not None]
    lines = entries[:_MOST_LISTED]
    if len(entries) > _MOST_LISTED:
        others = len(entries) - _MOST_LISTED
        lines.append(ngettext("… and {count} more.", "… and {count} more.", others).format(count=others))
    for number, mistake in mistakes[:_MOST_EXPLAINED]:
        text = _("⚠️ Record {number} was not imported: {mistake}")
        lines.append(text.format(number=number, mistake=shorten(mistake_in(mistake), _LONGEST_MISTAKE)))
    if len(mistakes) > _MOST_EXPLAINED:
        others = len(mistakes) - _MOST_EXPLAINED
        text = ngettext("⚠️ {count} more record has a mistake.", "⚠️ {count} more records have mistakes.", others)
        lines.append(text.format(count=others))
    if any(reading.record is not None and reading.record.shortened for reading in readings):
        lines.append(_("-# Comments, variations, signs such as `!` and headings are left out."))
    if len(matches) + len(mistakes) < len(outcomes):
        lines.append(
            _("⚠️ There is no room for more: you have {count} imported records. Delete some, then import again.").format(
                count=MOST_IMPORTS
            )
        )
    if more:
        lines.append(
            _("⚠️ I read only the first {count}. Import the rest in a file of its own.").format(count=MOST_AT_ONCE)
        )
    return compose(
        _("### 📥 Imported records"),
        "\n".join(lines),
        footer=_about(),
        menus=_replays(matches),
        buttons=(ActionButton(ListImports(), _("Imported records"), emoji="📥"),),
    )


def imports_card(page: MatchListPage) -> Message:
    """A page of the user's imported records, with a menu to open one."""
    text, footer = _("You have none yet."), ""
    if page.matches:
        text = "\n".join(map(_entry, page.matches))
        footer = _("{count} of at most {most}").format(count=page.total, most=MOST_IMPORTS)
    new = ActionButton(OpenImportForm(), _("Import…"), discord.ButtonStyle.success, "📥")
    return compose(
        _("### 📥 Imported records"),
        text,
        "" if page.matches else _about(),
        footer=footer,
        menus=_replays(page.matches),
        buttons=(*turners(ListImports, page.number, page.pages), new),
    )


def _about() -> str:
    return _(
        "Only you can see them, and they do not affect ratings. Replay, review, try and continue them like matches."
    )


def _entry(match: Match, *, before: bool = False) -> str:
    assert match.imported is not None
    turns = ngettext("{count} turn", "{count} turns", match.ply).format(count=match.ply)
    date = format_dt(match.started_at, "d")
    items = f"#{match.id}", as_code(match.imported.result), turns, _("imported before") if before else date
    return f"{words.terms(match.ruleset)}: {words.versus(*match.players)}\n-# {' · '.join(items)}"


def _replays(matches: Sequence[Match]) -> tuple[Menu, ...]:
    labels = {
        str(match.id): f"#{match.id} {match.ruleset.game.title} · {' – '.join(map(words.plain_name, match.players))}"
        for match in matches
    }
    return (option_menu(ChooseReplay(), labels, _("Replay…")),) if labels else ()
