"""Whole tables of utterances."""

from __future__ import annotations

import pyarrow as pa

from surgqa.ontology.observed import UTTERANCES
from surgqa.transforms.evidence.privacy import mask_utterances


def row(text: str, words: list[str] | None = None, flags: list[str] | None = None, start: int = 0):
    heard = words if words is not None else [" " + word for word in text.split()]
    return {
        "utterance_id": f"u{start}", "start_us": start, "end_us": start + 1, "text": text,
        "raw_text": text.lower(), "language": "en", "confidence": 0.9, "no_speech": 0.1,
        "words": [{"start_us": start, "end_us": start + 1, "text": w, "probability": 0.9}
                  for w in heard],
        "flags": flags or [],
    }  # fmt: skip


def masked(*rows) -> list[dict]:
    return mask_utterances(pa.Table.from_pylist(list(rows), schema=UTTERANCES)).to_pylist()


def test_text_raw_text_and_words_are_masked_and_flagged():
    (got,) = masked(row("Dr. Smith takes the hook.", flags=["weak"]))
    assert got["text"] == "Dr. [NAME] takes the hook."
    assert got["raw_text"] == "dr. [NAME] takes the hook."
    assert [w["text"] for w in got["words"]] == [" Dr.", " [NAME]", " takes", " the", " hook."]
    assert got["flags"] == ["weak", "masked"]


def test_a_name_told_once_is_masked_wherever_it_is_said():
    first, second, third = masked(
        row("Dr. Kowalski is here."),
        row("Closer, Kowalski, closer.", start=5),
        row("Kocher forceps, please.", start=9),
    )
    assert first["text"] == "Dr. [NAME] is here."
    assert second["text"] == "Closer, [NAME], closer."
    assert [w["text"] for w in second["words"]] == [" Closer,", " [NAME]", " closer."]
    assert third["text"] == "Kocher forceps, please." and third["flags"] == []


def test_words_keep_their_times_and_number():
    (got,) = masked(row("Recorded on 5 May 2020 here."))
    assert [w["text"] for w in got["words"]] == [
        " Recorded", " on", " [DATE]", " [DATE]", " [DATE]", " here."]  # fmt: skip


def test_what_names_nobody_is_left_as_it_was():
    table = pa.Table.from_pylist(
        [row("Now we see Calot's triangle."), row("Clip it.", start=3)], schema=UTTERANCES
    )
    assert mask_utterances(table).equals(table)


def test_masking_twice_changes_nothing():
    once = mask_utterances(
        pa.Table.from_pylist(
            [row("Patient Maria Lopez, MRN 445221."), row("Lopez lies flat.", start=4)],
            schema=UTTERANCES,
        )
    )
    assert once["text"].to_pylist() == ["Patient [NAME], MRN [ID].", "[NAME] lies flat."]
    assert mask_utterances(once).equals(once)


def test_an_empty_table_stays_empty():
    assert mask_utterances(UTTERANCES.empty_table()).num_rows == 0


def test_chinese_words_without_spaces():
    text = "由陈建国主任医师主刀"
    entry = row(text, words=list(text)) | {"language": "zh"}
    (got,) = masked(entry)
    assert got["text"] == "由[NAME]主任医师主刀"
    assert "".join(w["text"] for w in got["words"]) == "由[NAME][NAME][NAME]主任医师主刀"


def test_a_number_that_begins_in_one_utterance_is_masked_in_the_next():
    first, second, third = masked(
        row("Patient number."), row("5, 5, 3, 1.", start=5), row("We clip it.", start=9)
    )
    assert (first["text"], second["text"]) == ("Patient number.", "[ID].")
    assert [w["text"] for w in second["words"]] == [" [ID]"] * 4
    assert second["flags"] == ["masked"] and first["flags"] == third["flags"] == []


def test_a_name_over_a_border_is_masked_on_both_sides_of_it():
    first, second = masked(row("My name is Laura"), row("Bennett.", start=5))
    assert (first["text"], second["text"]) == ("My name is [NAME]", "[NAME].")


def test_rows_are_read_in_the_order_of_time_and_stay_in_their_own():
    table = [row("5, 5, 3, 1.", start=5), row("Patient number.")]
    assert [r["text"] for r in masked(*table)] == ["[ID].", "Patient number."]


def test_a_name_is_known_again_in_lower_case():
    _, second = masked(row("Dr. Kowalski is here."), row("closer kowalski closer", start=5))
    assert second["text"] == "closer [NAME] closer"
