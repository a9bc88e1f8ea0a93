"""The fast path of the HTML reader finds the same as Python's parser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkit.read.html import HTMLReader

PIECES = st.sampled_from(
    [
        "words",
        " ",
        "\n",
        "&amp;",
        "&lt;",
        "&eacute;t&eacute;",
        "&#x41;",
        "&",
        "a > b",
        "<",
        ">",
        "<p>",
        "</p>",
        "<P CLASS='x y'>",
        '<a href="a&amp;b" title="">',
        "</a >",
        "<br/>",
        "<br />",
        "<img src=x alt='a \"b\"'>",
        "<input disabled>",
        '<b a="1" a="2">',
        "</b>",
        "<!-- <p> -->",
        "<script>a < b && '<p>'</script>",
        "<svg viewBox='0 0 1 1'><title>&lt;t&gt;</title></svg>",
        "<style>p > a {}</style>",
        "<textarea><p></textarea>",
        '<i data-tex="a &lt; b">',
        "<1",
        "</",
        "<x:y z:w='1'>",
        "<custom-element>",
        "<a b=>",
        "<![CDATA[x]]>",
        "<?php ?>",
        "<!DOCTYPE html>",
    ]
)


class Recorder(HTMLReader):
    """Records the parts of HTML, with adjacent texts joined."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[object] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.events and isinstance(self.events[-1], list):
            self.events[-1].append(data)
        else:
            self.events.append([data])


def events(reader: Recorder) -> list[object]:
    return ["".join(part) if isinstance(part, list) else part for part in reader.events]


@given(st.lists(PIECES, max_size=12).map("".join))
def test_both_ways_of_reading_meet_the_same(html: str) -> None:
    fast, slow = Recorder(), Recorder()
    fast.read_all(html)
    slow.feed(html)
    slow.close()
    assert events(fast) == events(slow)


@pytest.mark.parametrize("html", ["<p>a &amp; <b x='1'>b</b></p>", "<ul>\n<li>a</li>\n</ul>"])
def test_what_programs_write_is_not_left_to_the_slow_one(
    html: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HTMLReader, "feed", None)
    reader = Recorder()
    reader.read_all(html)
    assert reader.events
