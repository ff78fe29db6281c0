"""What cannot be observed is said, counted, and never lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.observing.config import load_observe
from surgqa.pipeline.observing.plan import plan_observation, safe_id
from surgqa.transforms.evidence.speech import transcribe
from surgqa.transforms.steps.observing import record
from surgqa.transforms.store.evidence import STORE, EvidenceStore
from tests.each import cases
from tests.pipeline.cli.typed import said

from . import conftest
from .conftest import DETECTOR, surgqa


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("broken") / "broken.mp4"
    path.write_bytes(b"no film at all" * 1000)
    return path


def test_a_video_that_cannot_be_opened_stops_the_run(
    broken: Path, film: Callable, look: Callable, tmp_path: Path
):
    with pytest.raises(UserError, match=r"broken\.mp4") as error:
        look([film("one", 7003, 6), broken], tmp_path / "store", speech=None)
    assert error.value.exit_code == 3


def test_a_run_that_ends_while_videos_are_compared_leaves_no_record(
    film: Callable, look: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def ends(*_):
        raise UserError("ended here")

    monkeypatch.setattr(record, "near_duplicates", ends)
    with pytest.raises(UserError, match="ended here"):
        look([film("one", 7003, 6)], tmp_path / "store", speech=None)
    assert not (tmp_path / "store" / STORE).is_file()


def test_every_box_that_was_left_out_has_a_reason(store: Path):
    facts = EvidenceStore(store).facts("narrated")
    rejected = next(b["rejected"] for b in facts["books"] if b["unit"] == "boxes")
    named = [one for one in facts["problems"] if one["where"] == "boxes"]
    assert sum(one["count"] for one in named) == rejected > 0
    lines = (store / "rejected" / "observe.jsonl").read_bytes().splitlines()
    assert [one for one in map(orjson.loads, lines) if one["where"] == "boxes"] == named


def test_a_forgiven_video_is_counted_and_named(
    broken: Path, film: Callable, look: Callable, tmp_path: Path
):
    out = tmp_path / "store"
    result = look([film("one", 7003, 6), broken], out, speech=None, max_failed=1)
    assert [info["video_id"] for info in result.failed] == ["broken"]
    assert EvidenceStore(out).videos() == ["one"]
    rejects = [
        orjson.loads(line) for line in (out / "rejected/observe.jsonl").read_bytes().splitlines()
    ]
    assert [r["video_id"] for r in rejects if r["outcome"] == "failed"] == ["broken"]


def test_a_film_cut_short_is_observed_as_far_as_it_goes(
    film: Callable, look: Callable, tmp_path: Path
):
    whole = film("one", 7003, 6)
    cut = tmp_path / "cut.ts"
    import av

    with av.open(str(whole)) as source, av.open(str(cut), "w") as out:
        stream = out.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(source.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                out.mux(packet)
    data = cut.read_bytes()
    zeroed = bytearray(data)
    zeroed[len(data) // 2 : len(data) // 2 + 4000] = bytes(4000)
    cut.write_bytes(zeroed)
    store = tmp_path / "store"
    look([cut], store, speech=None)
    facts = EvidenceStore(store).facts("cut")
    frames = next(b for b in facts["books"] if b["unit"] == "frames")
    assert frames["rejected"] > 0
    assert frames["read"] == frames["kept"] + frames["rejected"]
    assert facts["problems"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        pytest.param({}, "nothing to observe", id="no-video"),
        pytest.param({"videos": [{"path": "nowhere.mp4"}]}, "nowhere.mp4 is missing", id="missing"),
        pytest.param(
            {"videos": [{"path": "nowhere.mp4", "size": 3}]}, "not usable", id="unknown-key"
        ),
        pytest.param({"segment": {"weights": "x.pt"}}, "masks need boxes", id="masks-alone"),
        pytest.param({"fps": "-1"}, "not a rate", id="rate"),
        pytest.param({"link": {"reach_out": 1}}, "unknown setting link.reach_out", id="section"),
        pytest.param(
            {"derive": {"shots": {"cut": 1}}}, "unknown setting derive.shots.cut", id="nested"
        ),
        pytest.param({"link": {"bridge_us": "far"}}, "link.bridge_us", id="type"),
    ],
)
def test_mistakes_in_the_settings_are_named(
    settings: dict, message: str, film: Callable, tmp_path: Path
):
    own = {"videos": [{"path": str(film("one", 7003, 6))}]} if settings else {}
    with pytest.raises(UserError, match=message):
        plan_observation(load_observe(None, {"out": tmp_path / "store", **own, **settings}))


def test_two_videos_of_one_name_are_refused(film: Callable, tmp_path: Path):
    path = film("one", 7003, 6)
    twice = {"videos": [{"path": str(path)}, {"path": str(path)}], "out": tmp_path / "store"}
    with pytest.raises(UserError, match="two videos are called one"):
        plan_observation(load_observe(None, twice))


@cases(
    ("name", "video_id"),
    [
        ("case 1.mp4", "case_1-"),
        ("case.1.mp4", "case.1"),
        ("手術.mp4", "__-"),
        (".hidden", "hidden-"),
        ("VID01", "VID01"),
    ],
)
def test_names_in_the_store_are_safe_and_distinct(name: str, video_id: str):
    assert safe_id(name).startswith(video_id)
    assert safe_id("case 1.mp4") != safe_id("case_1.mp4")


def test_a_link_is_called_as_the_user_calls_it(film: Callable, tmp_path: Path):
    one = film("one", 7003, 6)
    (tmp_path / "case_7.mp4").symlink_to(one)
    config = {"videos": [{"path": str(tmp_path / "case_7.mp4")}], "out": tmp_path / "store"}
    (video,) = plan_observation(load_observe(None, config)).videos
    assert (video.video_id, video.root, video.media.path) == ("case_7", str(one.parent), one.name)


def test_another_folder_is_not_overwritten(film: Callable, look: Callable, tmp_path: Path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "letters.txt").write_text("dear")
    with pytest.raises(UserError, match="holds something else"):
        look([film("one", 7003, 6)], tmp_path / "store", speech=None)


@pytest.mark.parametrize("rate", [[], ["--frames-fps", 10]], ids=["no-rate", "rate"])
def test_a_folder_of_videos_is_not_taken_for_one_of_frames(rate, film, tmp_path: Path, capsys):
    one = film("one", 7003, 6)
    folder = tmp_path / "videos"
    folder.mkdir()
    (folder / "one.mp4").symlink_to(one)
    _, err = said(capsys, 3, "observe", "--video", folder, *rate, "--out", tmp_path / "s")
    assert "a video is named by its file" in err and "one.mp4" in err and "--frames-fps" not in err


def test_an_output_that_is_a_file_is_told_as_such(film, tmp_path: Path, capsys):
    (tmp_path / "store").write_text("mine")
    _, err = said(capsys, 3, "observe", "--video", film("one", 7003, 6), "--out",
                  tmp_path / "store")  # fmt: skip
    assert "file exists" in err and "name another path" in err


def test_missing_weights_are_said_before_anything_is_decoded(film, tmp_path: Path, capsys):
    _, err = said(capsys, 3, "observe", "--video", film("one", 7003, 6), "--out",
                  tmp_path / "store", "--detect", tmp_path / "none.onnx")  # fmt: skip
    assert "none.onnx" in err and "Traceback" not in err


def test_dry_run_says_what_would_be_done(film: Callable, tmp_path: Path, capsys):
    out, _ = said(capsys, 0, "observe", "--video", film("one", 7003, 6), "--out",
                  tmp_path / "store", "--detect", DETECTOR, "--dry-run")  # fmt: skip
    assert "observed/one" in out and "detect" in out
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    "named", [pytest.param(True, marks=pytest.mark.nightly), False],
    ids=["a folder", "the usual model"],
)  # fmt: skip
def test_listening_without_its_packages_names_the_extra(
    named: bool, broken: Path, speech_model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As on a machine without the extra: its modules cannot be imported."""
    for module in ("ctranslate2", "faster_whisper"):
        text = f"raise ModuleNotFoundError('No module named {module}', name={module!r})\n"
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
    model = ["--asr-model", speech_model] if named else ["--asr"]
    monkeypatch.setattr(conftest, "ROOT", f"{tmp_path}{os.pathsep}{conftest.ROOT}")
    done = surgqa("observe", "--video", broken, "--out", tmp_path / "store", *model)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "pip install 'surgqa[asr]'" in done.stderr


def test_listening_with_packages_of_no_version_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(UserError, match=r"surgqa\[asr\]"):
        transcribe.versions()
