"""Search looks through words that a reader would type, in the section where they stand."""

from __future__ import annotations

import json

from vaultkit.site.search_index import Entry, Section, join_entries, serialize_entry, split_sections

PAGE = """
<h1 id="owl">Owl<a class="headerlink" href="#owl">#</a></h1>
<p>It hears <math data-tex="\\sqrt{d_k}"><msqrt><mi>d</mi><mi>k</mi></msqrt></math>, all night.</p>
<div class="vk-math vk-math--display"><div class="vk-math__box"><math display="block"
data-tex="S = QK^\\top"><mi>S</mi></math></div><button class="vk-math__copy">Copy</button></div>
<h2 id="in-flight">In <em>flight</em><a class="headerlink" href="#in-flight">#</a></h2>
<pre><code><b>K.T</b>
  wings</code></pre>
<div class="output"><pre><code>[[0.25 0.75]]
ValueError: no wings</code></pre></div>
<h3>A heading without an address</h3>
<ul><li>one</li><li>two</li></ul><svg><text>drawn</text></svg><script>run()</script>
<aside class="linked-from"><h2 id="linked-from">Linked from</h2><p>Others</p></aside>
<p>The end.</p>
"""


def test_a_page_is_divided_at_its_headings() -> None:
    lead, flight = split_sections(PAGE)
    assert lead == Section("", "", "It hears √d_k, all night. S = QKᵀ", ["S = QKᵀ"])
    assert (flight.anchor, flight.heading) == ("in-flight", "In flight")
    code = "\ue000K.T\ue002\ue003\ue003wings\ue001"  # a line, and two spaces before the next one
    words = "ValueError: no wings A heading without an address one two The end."
    assert flight.text == f"{code} {words}"


def test_cells_are_divided_and_the_label_of_folded_code_is_left_out() -> None:
    label = (
        '<label class="vk-unfold"><input type="checkbox"><span>All 16 lines of code</span></label>'
    )
    rows = "<tr><th>cache</th><th></th><th>all</th></tr> <tr><td>newest</td><td>log sum</td></tr>"
    (only,) = split_sections(f"<p>Before.</p>{label}<table>{rows}</table><p>After.</p>")
    assert only.text == "Before. cache | all | newest | log sum | After."


def test_a_name_that_may_wrap_is_one_word() -> None:
    (only,) = split_sections("<p>See <code>need_<wbr>weights</code>.</p>")
    assert only.text == "See need_weights."


def test_broken_html_loses_no_words() -> None:
    (only,) = split_sections("<p>one<div>two</p></span>three<p class='headerlink'>four")
    assert only.text == "one two three"


def test_the_index_holds_names_before_text_and_the_first_formulas() -> None:
    text = Section("", "", "Text", ["a = b", "c = d", "e = f"])
    said = ["Mice fear [[Owl]]s.", "Mice fear [[Owl]]s."]
    entry = Entry("owl/", "Owl", ["Tyto"], ["bird"], "It hears.", 3, [text], said, ["night bird"])
    index = json.loads(join_entries([serialize_entry(entry)]))
    assert {"why", "does"} <= set(index["words"]["stop"])
    (words,) = index["notes"]
    assert words[:6] == ["owl/", "Owl", ["Tyto"], ["bird"], "It hears.", 3]
    assert words[6:] == [
        ["a = b", "c = d"],
        [["", "", "Text"]],
        "Mice fear [[Owl]]s.",
        ["night bird"],
    ]
