"""``python -m bot.texts``, run at the top of a clone: update the catalogues from the code.

New and changed texts get empty entries. No translation is guessed from a similar text, which is usually about something
else.
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
    """Write the texts of the code, which ``tool.babel`` in pyproject.toml defines, to a template of the catalogues.

    The texts are sorted and without line numbers, so that they change little with the code.
    """
    options = ("--mapping-file=pyproject.toml", "--sort-output", "--add-location=file", "--width=120")
    _pybabel("extract", *options, f"--output-file={template}", *_CODE)


def update(template: Path) -> None:
    """Update all catalogues from a template."""
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
