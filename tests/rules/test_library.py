"""The documentation of the library: its examples are true."""

from __future__ import annotations

import doctest
import re
from inspect import ismodule

import rules
from tests.support.sources import ROOT

PAGE = ROOT / "rules" / "library.md"


def test_the_examples_of_the_documentation_are_true() -> None:
    page, package = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8"), doctest.testmod(rules)
    assert page.attempted > 25
    assert package.attempted
    assert not page.failed + package.failed


def test_every_name_in_the_documentation_can_be_imported() -> None:
    names = set(re.findall(r"(?<!/)rules\.([A-Za-z_]+)", PAGE.read_text(encoding="utf-8"))) - {"errors"}
    assert names
    assert all(hasattr(rules, name) and not ismodule(getattr(rules, name)) for name in names)
