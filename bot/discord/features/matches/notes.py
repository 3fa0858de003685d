"""The form in which players write notes on their matches."""

from __future__ import annotations

from dataclasses import dataclass

from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import AboutMatch, WriteNote
from bot.discord.ui.messages import Form, text_field
from bot.discord.ui.presses import user_input
from bot.services.study.notes import LONGEST_NOTE, Notes
from bot.texts import gettext as _
from bot.wording.lines import about_notes


class WrittenNote(AboutMatch, action="note-text"):
    text: str = user_input()


@dataclass
class NoteForm(Feature):
    notes: Notes

    @opens_form(WriteNote)
    async def open(self, interaction: Interaction, press: WriteNote) -> Form:
        return note_form(press.match_id, await self.notes.get(press.match_id, interaction.user.id))

    @handles(WrittenNote)
    async def write(self, interaction: Interaction, press: WrittenNote) -> None:
        note = await self.notes.set(press.match_id, interaction.user.id, press.text)
        text = _("Your note on match #{match} is saved.") if note else _("Match #{match} has no note now.")
        await Answer.of(interaction).follow_up(text.format(match=press.match_id))


def note_form(match_id: int, note: str) -> Form:
    """The form to write a note, filled in with the note so far."""
    field = text_field("text", _("Note"), about_notes(), note, LONGEST_NOTE, required=False, paragraph=True)
    return Form(WrittenNote(match_id), _("Your note on match #{match}").format(match=match_id), field)
