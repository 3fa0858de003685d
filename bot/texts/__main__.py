"""``python -m bot.texts``, run at the top of a clone: bring the catalogues up to date with the code.

A new text, or one whose English has changed, gets an entry without a translation. None is guessed from a similar text,
which is usually about something else.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from babel.messages.frontend import CommandLineInterface

from bot.texts import DOMAIN, LANGUAGES, LOCALE, SOURCE

_CODE = ("bot", "render", "rules")


def _pybabel(command: str, *options: str) -> None:
    CommandLineInterface().run(["pybabel", "--quiet", command, *options])  # type: ignore[no-untyped-call]


def extract(template: Path) -> None:
    """Write the texts of the code, as ``tool.babel`` in pyproject.toml defines it, to a template of the catalogues.

    They are sorted and have no line numbers, so they change little when the code changes.
    """
    options = ("--mapping-file=pyproject.toml", "--sort-output", "--add-location=file", "--width=120")
    _pybabel("extract", *options, f"--output-file={template}", *_CODE)


def update(template: Path) -> None:
    """Bring all catalogues up to date with a template."""
    options = ("--ignore-obsolete", "--ignore-pot-creation-date", "--init-missing", "--width=120")
    for language in LANGUAGES:
        if language != SOURCE:
            place = (f"--domain={DOMAIN}", f"--output-dir={LOCALE}", f"--locale={language}")
            _pybabel("update", *options, "--no-fuzzy-matching", *place, f"--input-file={template}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder) / f"{DOMAIN}.pot"
        extract(template)
        update(template)
