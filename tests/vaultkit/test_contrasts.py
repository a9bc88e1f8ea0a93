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
    ("It falls from 1.0 to 0.2.", "It falls from 0.2 to 1.0."),
    ("The error falls steadily from 12 % to 9 %.", "The error falls steadily from 9 % to 12 %."),
    ("It rises from 3 to 5 steps.", "It rises from 5 to 3 steps."),
    ("It grows from **3 kg** at first to `5 kg`.", "It grows from **5 kg** at first to `3 kg`."),
    ("A is shorter (3) than B (4).", "A is shorter (4) than B (3)."),
    ("Here 9 is less than 12.", "Here 12 is less than 9."),
    ("It takes fewer steps: 3 instead of 5.", "It takes fewer steps: 5 instead of 3."),
    ("It is higher, 7 against 5.", "It is higher, 5 against 7."),
    ("It is 0.57, more than half.", "It is 0.43, more than half."),
    ("It is 24 %, less than a third.", "It is 43 %, less than a third."),
    ("Less than a third of all (24 %) count.", "Less than a third of all (43 %) count."),
    ("About a third, 34.6 %.", "About a third, 24.6 %."),
    ("A third, 34.6 %, of the eggs hatched.", "A third, 24.6 %, of the eggs hatched."),
    ("After three half-lives an eighth is left (12.5 %).", "After ten, an eighth is left (1.5 %)."),
    ("A quarter of the days (24 %) were dry.", "A quarter of the days (42 %) were dry."),
    ("Of these 12 of 48 (25 %) were red.", "Of these 12 of 48 (30 %) were red."),
    ("It is larger than the door (2.16 against 1.89).",
     "It is smaller than the door (2.16 against 1.89)."),
    ("It falls from 5 to 3 with no loss.", "It falls from 3 to 5 with no loss."),
    ("No doubt it falls from 5 to 3.", "No doubt it falls from 3 to 5."),
    ("A third (34.6 per cent) is red.", "A third (44.6 per cent) is red."),
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
        "The medians differ a bit more, 71 against 73.",
        "Of these walks, 5 are longer than 1000 km.",
        "It is 0.43, more than half of its maximum.",
        "It took 0.43 s, more than half of the time.",
        "It is about half of the total, 0.221.",
        "A third are red, 20 % are blue.",
        "The third (24 %) was late.",
        "Half of it (20 %) and the rest (80 %) differ.",
        "Inequality (3) is weaker than (4).",
        "It is wrong that it falls from 3 to 5.",
        "It falls from 3 kg to 5.",
        "It rises from 3 to 2 million.",
        "No value falls from 3 to 5.",
        "Nothing falls from 3 to 5.",
        "It rarely falls from 3 to 5.",
        "It falls rarely from 3 to 5.",
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
