"""``python -m bot.texts``: brings the catalogues up to date with the code, at the top of a clone.

New texts get an entry without a translation, and those whose English changed keep the old one, marked ``fuzzy``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from babel.messages.frontend import CommandLineInterface

from bot.texts import DOMAIN, LANGUAGES, LOCALE, SOURCE

_CODE = ("bot", "render", "rules")


def _pybabel(command: str, *options: str) -> None:
    CommandLineInterface().run(["pybabel", "--quiet", command, *options])  # type: ignore[no-untyped-call]


def extract(template: Path) -> None:
    """Writes the texts of the code to a template of the catalogues; ``tool.babel`` in pyproject.toml says what is one.

    They are sorted and come without line numbers, so that changes of the code change little in the catalogues.
    """
    options = ("--mapping-file=pyproject.toml", "--sort-output", "--add-location=file", "--width=120")
    _pybabel("extract", *options, f"--output-file={template}", *_CODE)


def update(template: Path) -> None:
    """Brings all catalogues up to date with a template."""
    options = ("--ignore-obsolete", "--ignore-pot-creation-date", "--init-missing", "--width=120")
    for language in LANGUAGES:
        if language != SOURCE:
            place = (f"--domain={DOMAIN}", f"--output-dir={LOCALE}", f"--locale={language}")
            _pybabel("update", *options, *place, f"--input-file={template}")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder) / f"{DOMAIN}.pot"
        extract(template)
        update(template)
    return 0


if __name__ == "__main__":
    sys.exit(main())
