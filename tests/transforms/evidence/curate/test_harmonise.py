"""Metadata in one vocabulary."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surgqa.ontology.concepts import load_data
from surgqa.transforms.evidence.curate import harmonise
from surgqa.transforms.evidence.curate.harmonise import FieldChange
from tests.each import cases


def test_names_and_values_are_mapped_and_every_change_is_told():
    result, changes = harmonise({"Operation": "Lap Chole", "Experience": "Attending", "id": "x"})
    assert result == {
        "procedure": "laparoscopic_cholecystectomy", "specialty": "general_surgery",
        "surgeon_experience": "expert", "id": "x"}  # fmt: skip
    assert changes == (
        FieldChange("procedure", "Lap Chole", "laparoscopic_cholecystectomy"),
        FieldChange("specialty", None, "general_surgery"),
        FieldChange("surgeon_experience", "Attending", "expert"),
    )


def test_what_the_vocabulary_does_not_know_is_flagged_and_not_guessed():
    result, changes = harmonise({"procedure": "moon landing", "surgeon_experience": "12 years"})
    assert result == {"procedure": None, "surgeon_experience": None}
    assert [c.flag for c in changes] == ["unknown", "unknown"]
    assert [c.before for c in changes] == ["moon landing", "12 years"]


def test_a_given_specialty_is_not_overruled_by_the_procedure():
    result, _ = harmonise({"procedure": "colectomy", "specialty": "General Surgery"})
    assert result["specialty"] == "general_surgery"


@cases(
    ("given_as", "duration_us"),
    [("1:02:03", 3_723_000_000), ("02:03.5", 123_500_000), ("90 min", 5_400_000_000),
     ("1.5 h", 5_400_000_000), ("45", 45_000_000), (7_000_000, 7_000_000), ("long", None)],
)  # fmt: skip
def test_lengths(given_as, duration_us):
    assert harmonise({"duration": given_as})[0] == {"duration_us": duration_us}


@cases(
    ("given_as", "fps"),
    [("29.97 fps", [30000, 1001]), ("25", [25, 1]), (23.976, [24000, 1001]), ("30000/1001",
     [30000, 1001]), ([25, 1], [25, 1]), ("12.5", [25, 2]), ("fast", None), ("0", None)],
)  # fmt: skip
def test_rates(given_as, fps):
    assert harmonise({"frame rate": given_as})[0] == {"fps": fps}


KNOWN = [("procedure", v) for e in load_data("vocab", "metadata")["procedures"].values()
         for v in (e["display"], *e["synonyms"])]  # fmt: skip


FIELDS = st.sampled_from(["operation", "fps", "length", "lang", "x", "Experience"])
VALUES = st.one_of(st.text(max_size=12), st.integers(0, 10**12), st.none())


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(FIELDS, VALUES))
def test_harmonising_twice_changes_nothing_and_never_fails(metadata):
    once, _ = harmonise(metadata)
    assert harmonise(once) == (once, ())


def test_every_spelling_in_the_vocabulary_means_one_procedure():
    for field, value in KNOWN:
        result, _ = harmonise({field: value})
        assert result["procedure"] is not None, value
    entries = load_data("vocab", "metadata")
    assert {e["specialty"] for e in entries["procedures"].values()} <= set(entries["specialties"])


def test_no_spelling_stands_for_two_things():
    for kind in ("procedures", "specialties", "experience", "languages"):
        seen: dict[str, str] = {}
        for key, entry in load_data("vocab", "metadata")[kind].items():
            for name in {key.replace("_", " "), entry["display"].lower(), *entry["synonyms"]}:
                assert seen.setdefault(name, key) == key, (kind, name)
