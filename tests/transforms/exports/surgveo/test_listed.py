"""Samples of an exported folder as a study reads them: what is wrong is found at its line."""

import orjson
import pytest

from surgqa.ontology.errors import NothingSelected, SourceBroken, StepOrder
from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.exports.surgveo.study.videos import FILE, listed_samples

ENTRY = {
    "sample_id": "s1", "track": "laparoscopic", "stage": "clipping", "procedure": "hysterectomy",
    "stage_name": "clipping of the artery", "reference": "videos/s1.mp4",
}  # fmt: skip


def written(folder, *lines):
    (folder / FILE).write_bytes(b"\n".join(lines))
    return folder


def test_samples_in_their_order(tmp_path):
    lines = [orjson.dumps(ENTRY), b" ", orjson.dumps({**ENTRY, "sample_id": "s0"})]
    samples, digest = listed_samples(written(tmp_path, *lines))
    assert [one.sample_id for one in samples] == ["s1", "s0"]
    first = samples[0]
    assert (first.track, first.stage) == ("laparoscopic", "clipping")
    assert first.context == "hysterectomy: clipping of the artery"
    assert first.reference == tmp_path / "videos" / "s1.mp4"
    assert digest == bytes_digest((tmp_path / FILE).read_bytes())


@pytest.mark.parametrize(
    ("second", "error"),
    [
        ({"track": "open"}, SourceBroken),
        ({"stage": ...}, SourceBroken),
        ({"reference": None}, StepOrder),
    ],
)
def test_an_error_names_the_line(tmp_path, second, error):
    entry = {k: v for k, v in {**ENTRY, **second}.items() if v is not ...}
    written(tmp_path, orjson.dumps(ENTRY), orjson.dumps(entry))
    with pytest.raises(error) as raised:
        listed_samples(tmp_path)
    assert raised.value.where == f"{tmp_path / FILE}:2"


def test_an_export_without_samples(tmp_path):
    with pytest.raises(NothingSelected, match="no samples to rate"):
        listed_samples(written(tmp_path, b""))
