"""A sentence may contradict itself: the words disagree with its own numbers."""

from pathlib import Path

import pytest

from vaultkit.checks.check import EXCEPTED, FAILS
from vaultkit.checks.contrasts import check, contradiction
from vaultkit.claims import lexicon as lexicon_module
from vaultkit.claims.contrasts import contrasts
from vaultkit.pipeline.inspect import inspect
from vaultkit.read.markdown import parse
from vaultkit.read.vault import Vault

#: A sentence that agrees with its numbers, and one that does not.
PAIRS = [
    ("It is 0.44, which is larger than the 0.36.", "It is 0.36, which is larger than the 0.36."),
    ("41 % of 10,000 are, which is less than half.", "51 % of 10,000 are, less than half."),
    ("It falls from 1.0 to 0.2.", "It falls from 0.2 to 1.0."),
    ("The error falls steadily from 12 % to 9 %.", "The error falls steadily from 9 % to 12 %."),
    ("It rises from 3 to 5 steps.", "It rises from 5 to 3 steps."),
    ("It grows from **3 kg** at first to `5 kg`.", "It grows from **5 kg** at first to `3 kg`."),
    ("A is shorter (3) than B (4).", "A is shorter (4) than B (3)."),
    ("The mean (4 m) is larger than my own (3 m).", "The mean (3 m) is larger than my own (4 m)."),
    ("Here 9 is less than 12.", "Here 12 is less than 9."),
    ("It takes fewer steps: 3 instead of 5.", "It takes fewer steps: 5 instead of 3."),
    ("It is higher, 7 against 5.", "It is higher, 5 against 7."),
    ("It is 0.57, more than half.", "It is 0.43, more than half."),
    ("It is 24 %, less than a third.", "It is 43 %, less than a third."),
    ("Less than a third of all (24 %) count.", "Less than a third of all (43 %) count."),
    ("About a third, 34.6 %.", "About a third, 24.6 %."),
    ("A third, 34.6 %, of the eggs hatched.", "A third, 24.6 %, of the eggs hatched."),
    ("A third of the eggs, 34.6 %, hatched.", "A third of the eggs, 24.6 %, hatched."),
    ("After three half-lives an eighth is left (12.5 %).", "After ten, an eighth is left (1.5 %)."),
    ("A quarter of the days (24 %) were dry.", "A quarter of the days (42 %) were dry."),
    ("It has half as many: 20 of 40.", "It has half as many: 10 of 40."),
    ("It is twice as long (8 s) as B (4 s).", "It is twice as long (8 s) as B (2 s)."),
    ("It doubles from 4 to 8.", "It doubles from 4 to 9."),
    ("It is 4.5 V: exactly half of the 9 V.", "It is 3 V: exactly half of the 9 V."),
    ("It has 20 words, 18 of them short.", "It has 18 words, 20 of them short."),
    ("Of these 12 of 48 (25 %) were red.", "Of these 12 of 48 (30 %) were red."),
    ("So 66.7 % (2 of 3) are red.", "So 76.7 % (2 of 3) are red."),
    ("It falls in every step, from 5.2 to 3.1.", "It rises in every step, from 5.2 to 3.1."),
    ("H is 3.2 bits, and the code spends 3.3, which is slightly more.",
     "H is 3.2 bits, and the code spends 3.3, which is slightly less."),
    ("It ends at 32 boxes, below the last figure of 38.",
     "It ends at 38 boxes, below the last figure of 32."),
    ("It is 39 boxes, more than the usual 38.", "It is 39 boxes, fewer than the usual 28."),
    ("It is larger than the door (2.16 against 1.89).",
     "It is smaller than the door (2.16 against 1.89)."),
    ("It swings in 2.006 s, twice the 1.003 s of B.",
     "It swings in 2.006 s, three times the 1.003 s of B."),
    ("It has 263 of its 350, about three quarters.", "It has 263 of its 350, about half."),
    ("So 60 of 250 mg is 24 %.", "So 60 of 250 mg is 34 %."),
    ("A third (34.6 per cent) is red.", "A third (44.6 per cent) is red."),
    ("It is 38 boxes, more than the other week's 33.",
     "It is 33 boxes, more than the other week’s 38."),
    ("One takes 5 ms and the other 3, which is less.",
     "One takes 3 ms and the other 5, which is less."),
    ("It was on Sunday, 3 March 2024.", "It was on Monday, 3 March 2024."),
    ("My exam is on 13 November 2026, a Friday.", "My exam is on 13 November 2026, a Thursday."),
]  # fmt: skip


def failures(text: str) -> list[str]:
    return [one.what for one in check(parse(text)) if one.outcome == FAILS]


@pytest.mark.parametrize(("true", "false"), PAIRS)
def test_words_agree_with_the_numbers_of_their_sentence(true: str, false: str) -> None:
    assert failures(true) == []
    (contrast,) = (c for piece in parse(true).prose for c in contrasts(piece))
    assert not contradiction(contrast)
    assert len(failures(false)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Prices fell from 2007 to 2009.",
        "It falls from 900 to 1.2 million.",
        "It falls from 90 minutes to 2 hours.",
        "The curve falls from 0 to 5.",
        "It climbed from 10th to 3rd place.",
        "It does not fall from 3 to 5.",
        "Does it fall from 3 to 5?",
        "It would fall from 3 to 5.",
        "It falls from 9 and rises to 12.",
        "The square root of 12 is less than 9.",
        "If 12 is less than 9, all is lost.",
        "The string 12 is less than 9.",
        "The bank is nearer (0.54) than the other (0.40).",
        "It is 0.43, more than half of its maximum.",
        "It took 0.43 s, more than half of the time.",
        "It is about half of the total, 0.221.",
        "A third are red, 20 % are blue.",
        "The third (24 %) was late.",
        "Half of it (20 %) and the rest (80 %) differ.",
        "It was on Monday, 31 February 2024.",
        "It was not on Monday, 3 March 2024.",
        "Was it on Monday, 3 March 2024?",
        "Inequality (3) is weaker than (4).",
        "It climbs every day, from 9 to 5.",
        "It is wrong that it falls from 3 to 5.",
        "It falls from 3 kg to 5.",
        "It rises from 3 to 2 million.",
    ],
)
def test_what_may_be_meant_otherwise_is_left_alone(text: str) -> None:
    assert failures(text) == []


def test_a_contradiction_has_its_place_and_may_be_given(tmp_path: Path) -> None:
    text = "# A\n\nOne line.\nIt falls from 3 to 5.\n\n```python\nx = 1\n```\n"
    (tmp_path / "A.md").write_text(text)
    vault = Vault(tmp_path)
    (note,) = vault.notes.values()
    (found,) = (one for one in inspect(note, vault) if one.outcome == FAILS)
    assert (found.kind, found.line, found.column) == ("number", 4, 4)
    assert found.why == "falls from 3 to 5: 5 is not less than 3"
    (given,) = check(parse(text.replace("5.", "5<!-- given: a joke -->.")))
    assert (given.outcome, given.why) == (EXCEPTED, "a joke")


def test_a_language_may_have_only_some_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = Path(lexicon_module.__file__).with_name("en.toml")
    (tmp_path / "en.toml").write_bytes(english.read_bytes())
    (tmp_path / "de.toml").write_text(
        '[directions]\nmore = ["größer"]\nless = ["kleiner"]\n[counts]\n"5" = ["fünf"]\n'
    )
    monkeypatch.setattr(lexicon_module, "_FOLDER", tmp_path)
    words = lexicon_module.lexicon.__wrapped__("de")
    assert words.value("counts", "fünf") == 5
    assert [name for _, name in words.find("directions", "größer als der größte")] == ["more"]
    assert words.words["roles"] == lexicon_module.lexicon("en").words["roles"]
