"""What the site says of itself is well formed, whatever the notes say."""

from __future__ import annotations

import json
import re
import struct
import zlib

import numpy as np

from vaultkit.site.machines import (
    ListedNote,
    PageMetadata,
    draw_picture,
    metadata_elements,
    write_llms_txt,
)


def test_nothing_that_a_note_says_ends_the_script() -> None:
    written = metadata_elements(PageMetadata("Site", "</script><b>", 'said "so" & <!-- x'))
    assert written.count("</script>") == 1
    assert 'content="said &quot;so&quot; &amp; &lt;!-- x"' in written
    found = re.search(r"json\">(.*)</script>", written)
    assert found
    about = json.loads(found[1])
    assert (about["name"], about["description"]) == ("</script><b>", 'said "so" & <!-- x')


def test_a_site_without_an_address_claims_none() -> None:
    written = metadata_elements(PageMetadata("Site", "Note", "Words"))
    assert not re.search("og:url|og:image|twitter|http(?!s://schema.org)", written)
    assert "timeRequired" not in written
    assert '"PT5M"' in metadata_elements(PageMetadata("Site", "Note", "Words", minutes=5))


def test_the_map_keeps_the_order_of_sections_and_notes() -> None:
    sections = {"B": [ListedNote("Two", "two.md", "It."), ListedNote("One", "one.md")], "Empty": []}
    expected = "# S\n\n> Words\n\n## B\n\n- [Two](two.md): It.\n- [One](one.md)\n"
    assert write_llms_txt("S", "Words", sections) == expected


def test_a_picture_holds_the_squares_in_their_colours() -> None:
    logo = (
        '<svg><g fill="#0000ff"><rect x="0" y="0" width="1" height="2"/>'
        '<rect x="1" y="0" width="1" height="2" fill="#ff0000" opacity=".5"/></g></svg>'
    )
    data = draw_picture(logo)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (1200, 630)
    size = struct.unpack(">I", data[33:37])[0]
    rows = np.frombuffer(zlib.decompress(data[41 : 41 + size]), np.uint8).reshape(630, -1)
    pixels = rows[:, 1:].reshape(630, 1200, 3)
    assert pixels[315, 500].tolist() == [0, 0, 255]
    assert pixels[315, 700].tolist() == [252, 125, 125]
    assert pixels[5, 5].tolist() == [250, 250, 250]
