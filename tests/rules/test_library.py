"""The documentation of the library: its examples are true."""

from __future__ import annotations

import doctest
import re

import rules
from tests.support.positions import ROOT

PAGE = ROOT / "rules" / "library.md"


def test_the_examples_of_the_documentation_are_true() -> None:
    page, package = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8"), doctest.testmod(rules)
    assert page.attempted > 25
    assert package.attempted
    assert not page.failed + package.failed


def test_public_names_are_listed_once_and_include_those_of_the_documentation() -> None:
    assert len(set(rules.__all__)) == len(rules.__all__)
    assert all(hasattr(rules, name) for name in rules.__all__)
    names = set(re.findall(r"(?<!/)rules\.([A-Za-z_]+)", PAGE.read_text(encoding="utf-8"))) - {"errors"}
    assert names <= set(rules.__all__)
