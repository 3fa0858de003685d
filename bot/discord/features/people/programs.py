"""The programs in ``/settings``, which people connect as players of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import discord

from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.transport.answers import Answer
from bot.discord.ui.actions import OpenPrograms
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import ActionButton, Aside, Form, Message, compose, confirmation, text_field
from bot.discord.ui.presses import Id, Press, user_input
from bot.domain.players import LONGEST_NAME, MOST_PROGRAMS, Program
from bot.services.history import History
from bot.services.people.doors import Doors
from bot.services.people.privacy import Privacy
from bot.services.people.programs import Programs
from bot.texts import gettext as _
from bot.wording import words
from bot.wording.quoting import as_code, as_markdown


class AskForName(Press, action="program"):
    pass


class MakeProgram(Press, action="program-name"):
    name: str = user_input()


class AboutProgram(Press):
    program_id: Id


class RenewToken(AboutProgram, action="program-token"):
    pass


class AskToEnd(AboutProgram, action="program-end"):
    pass


class EndProgram(AboutProgram, action="program-end-now"):
    pass


@dataclass
class ProgramButtons(Feature):
    programs: Programs
    history: History
    doors: Doors
    privacy: Privacy
    command_mentions: CommandMentions

    @handles(OpenPrograms)
    async def open_panel(self, interaction: Interaction, _press: OpenPrograms) -> None:
        await Answer.of(interaction).respond(
            programs_panel(await self.programs.of(interaction.user.id), self.command_mentions)
        )

    @opens_form(AskForName)
    async def ask_for_name(self, interaction: Interaction, _press: AskForName) -> Form:
        about = _("Everybody sees it as “⚙ … of {player}”.").format(
            player=words.plain_name(player_of(interaction.user))
        )
        return Form(MakeProgram(), _("A new program"), text_field("name", _("Name"), about, "", LONGEST_NAME))

    @handles(MakeProgram)
    async def make(self, interaction: Interaction, press: MakeProgram) -> None:
        made, token = await self.programs.make(player_of(interaction.user), press.name)
        await Answer.of(interaction).respond(token_card(made, token, f"{self.doors.url}"))

    @handles(RenewToken)
    async def renew(self, interaction: Interaction, press: RenewToken) -> None:
        program, token = await self.programs.renew(press.program_id, interaction.user.id)
        await Answer.of(interaction).respond(token_card(program, token, f"{self.doors.url}", renewed=True))

    @handles(AskToEnd)
    async def ask_to_end(self, interaction: Interaction, press: AskToEnd) -> None:
        program = await self.programs.get(press.program_id, interaction.user.id)
        running = await self.history.count_running(program.id)
        await Answer.of(interaction).respond(end_question(program, running))

    @handles(EndProgram)
    async def end(self, interaction: Interaction, press: EndProgram) -> None:
        program = await self.programs.get(press.program_id, interaction.user.id)
        await self.privacy.delete(program.id)
        await Answer.of(interaction).respond(
            programs_panel(await self.programs.of(interaction.user.id), self.command_mentions)
        )


def programs_panel(programs: Sequence[Program], command_mentions: CommandMentions) -> Message:
    """The programs of a player, with their actions."""
    more = [ActionButton(AskForName(), _("New program"), discord.ButtonStyle.primary)]
    return compose(
        _("### ⚙️ Your programs"),
        _(
            "A program that you have written can play here, as a player of its own. People challenge it with "
            "{challenge} and its option `program`, on servers where you have used me. Its matches are casual."
        ).format(challenge=command_mentions.of("challenge")),
        *map(_entry, programs),
        footer=_("{count} of {most} programs").format(count=len(programs), most=MOST_PROGRAMS),
        buttons=tuple(more if len(programs) < MOST_PROGRAMS else ()),
    )


def _entry(program: Program) -> Aside:
    used = _("never connected")
    if program.used_at is not None:
        used = _("last connected {when}").format(when=discord.utils.format_dt(program.used_at, "R"))
    return Aside(
        f"{_title(program)}\n-# {used}",
        buttons=(
            ActionButton(RenewToken(program.id), _("New token"), emoji="🔑"),
            ActionButton(AskToEnd(program.id), _("End…"), discord.ButtonStyle.danger),
        ),
    )


def _title(program: Program) -> str:
    return f"**⚙ {as_markdown(program.name)}**"


def token_card(program: Program, token: str, url: str, *, renewed: bool = False) -> Message:
    """The only message that shows a token."""
    return compose(
        _("### Token of {program}").format(program=_title(program)),
        f"```\n{token}\n```",
        _("Save it now: I store no copy and cannot show it again. Anyone who has it can play as this program."),
        _ways(url),
        footer=_("The earlier token of this program is no longer valid.") if renewed else "",
        buttons=(ActionButton(OpenPrograms(), _("Your programs")),),
    )


def _ways(url: str) -> str:
    """The ways to connect a program."""
    connect = _("**To connect it**, run {command} with the token in {variable}.").format(
        command=as_code(f"python -m rules connect {url} --engine COMMAND"), variable=as_code("HEXGROVE_TOKEN")
    )
    client = _("To write your own client, read {address}.").format(address=f"{url}/api/v1/openapi.json")
    return f"{connect}\n{client}"


def end_question(program: Program, running: int) -> Message:
    question = _("End {program}? Its token is no longer valid, and its matches stay without its name.")
    resigned = _("It resigns its running matches.") if running else ""
    text = f"{question.format(program=_title(program))} {resigned}".rstrip()
    return confirmation(text, EndProgram(program.id), _("Yes, end it"), OpenPrograms(), _("Keep it"))
