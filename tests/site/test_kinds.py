"""A page of each kind, in one visit: it opens, it fits, and it shuts nobody out."""

from __future__ import annotations

import re

import pytest
from test_phone import EVERY, LOOKS, LOST, OPEN, complaints, few_checks
from test_site import SEEN
from visitor import Visitor

#: The way in, a note with all that notes hold, a notebook, cards, the list of checks, a way back.
KINDS = (
    "",
    "importance-of-dk-in-scaling/",
    "first-principles/",
    "questions-and-answers/",
    "checks/",
    LOST,
)


@pytest.mark.usually("importance-of-dk-in-scaling/", LOST)
@pytest.mark.parametrize("address", KINDS)
def test_a_page_of_each_kind_is_for_everybody(visit: Visitor, address: str) -> None:
    page = visit.open()
    page.route("**/checks.json", few_checks)
    visit.go(page, address)
    seen = page.evaluate(SEEN)
    assert seen["errors"] == 0
    assert not re.search(r"\\\(|\\\[|\$\$|\\(frac|sqrt|text)\b", seen["words"])
    assert seen["wide"] <= 0
    page.evaluate(OPEN)
    found = complaints(page, EVERY)
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    if address != LOST:
        page.wait_for_selector("body[data-md-color-scheme=slate]")
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    assert found + complaints(page, LOOKS) == []
