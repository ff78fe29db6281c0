"""Units are found by their folder and imported only when used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.records import MediaKind
from surgqa.transforms import registry
from tests.each import cases


def test_listing_imports_no_reader_and_nothing_heavy(repo_root: Path) -> None:
    code = (
        "import sys; from surgqa.transforms import registry\n"
        "cards = [registry.card(name) for name in registry.datasets()]\n"
        "heavy = {'numpy', 'apache_beam', 'pyarrow', 'torch', 'pydantic'} & set(sys.modules)\n"
        "readers = [name for name in sys.modules "
        "if name.startswith('surgqa.transforms.readers.')]\n"
        "print(len(cards) >= 2, sorted(heavy), readers)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repo_root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True [] []"


def test_names_are_sorted() -> None:
    assert registry.datasets() == sorted(registry.datasets())
    assert {"cholect45", "cholect50"} <= set(registry.datasets())


@pytest.mark.parametrize("asked", [registry.card, registry.files, registry.load_reader,
                                   registry.load_sample])  # fmt: skip
@pytest.mark.parametrize(
    ("name", "fix"),
    [
        pytest.param("cholecT5O", "did you mean cholect50?", id="letter-for-digit"),
        pytest.param("Cholec-T45", "did you mean cholect45?", id="other-spelling"),
        pytest.param("base", "see 'surgqa list datasets'", id="a-folder-that-is-no-dataset"),
        pytest.param("", "see 'surgqa list datasets'", id="empty"),
        pytest.param("../readers/cholect50", "did you mean cholect50?", id="a-path"),
    ],
)
def test_an_unknown_name_brings_the_closest_and_the_known_ones(asked, name: str, fix: str) -> None:
    with pytest.raises(UserError) as error:
        asked(name)
    assert error.value.exit_code == 2
    assert error.value.fix == fix
    assert error.value.expected == ", ".join(registry.datasets())


CARD = """name: mine
title: Mine
summary: what it is
release: "1"
procedure: laparoscopic cholecystectomy
specialty: general surgery
videos: 2
licence: CC BY 4.0
licence_url: https://example.org/licence
citation: nobody
homepage: https://example.org
access: open
how_to_get: download it
modalities: [video]
tasks: [phase]
label_map: mine
verified: never
"""
FILES = """video_ids: [a, b, c]
patterns: {labels: "labels/{video_id}.txt"}
splits:
  official: {test: [b], train: rest}
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of readers of our own with one dataset, ``mine``."""
    folder = tmp_path / "transforms" / "readers" / "mine"
    folder.mkdir(parents=True)
    (folder / "card.yaml").write_text(CARD)
    (folder / "files.yaml").write_text(FILES)
    monkeypatch.setattr(
        registry.resources, "files", lambda name: tmp_path.joinpath(*name.split(".")[1:])
    )
    for cached in (registry.packages, registry.card, registry.files):
        cached.cache_clear()
    yield folder
    for cached in (registry.packages, registry.card, registry.files):
        cached.cache_clear()


def test_a_new_folder_is_found_without_editing_a_list(mine: Path) -> None:
    assert registry.datasets() == ["mine"]
    assert registry.card("mine").notes == ()
    assert registry.files("mine").splits == {"official": {"a": "train", "b": "test", "c": "train"}}
    assert registry.files("mine").known_bad == {}


@pytest.mark.parametrize(
    ("old", "new", "summary", "line"),
    [
        pytest.param("title: Mine\n", "", "fields are missing", "", id="missing"),
        pytest.param("title:", "titel:", "unknown field 'titel'", ":2", id="misspelt"),
        pytest.param("videos: 2", "videos: many", "bad videos", ":7", id="no-number"),
        pytest.param("videos: 2", "videos: -1", "bad videos", ":7", id="below-zero"),
        pytest.param("title: Mine", "title: ' '", "bad title", ":2", id="blank"),
        pytest.param("[phase]", "[phases]", "bad tasks", ":15", id="unknown-task"),
        pytest.param("[video]", "video", "bad modalities", ":14", id="no-list"),
        pytest.param("access: open", "access: free", "bad access", ":12", id="unknown-access"),
        pytest.param("name: mine", "name: yours",
                     "the name in the card differs from the folder's name", ":1", id="other-name"),
    ],
)  # fmt: skip
def test_a_bad_card_is_an_error_with_its_line(
    mine: Path, old: str, new: str, summary: str, line: str
) -> None:
    (mine / "card.yaml").write_text(CARD.replace(old, new))
    with pytest.raises(UserError) as error:
        registry.card("mine")
    assert error.value.summary == summary
    assert error.value.where == f"surgqa/transforms/readers/mine/card.yaml{line}"


@pytest.mark.parametrize(
    ("old", "new", "summary"),
    [
        pytest.param("[b]", "[x]", "x is not a video_id of a split", id="unknown-video"),
        pytest.param("[b], train: rest", "[b], val: [b]", "b is in two parts of a split",
                     id="in-two-parts"),
        pytest.param("test: [b]", "test: rest", 
                     "only one split may be 'rest' (all videos that no other split lists)",
                     id="two-rests"),
        pytest.param("splits:", "split:", "unknown field 'split'", id="misspelt"),
    ],
)  # fmt: skip
def test_a_bad_split_is_an_error(mine: Path, old: str, new: str, summary: str) -> None:
    (mine / "files.yaml").write_text(FILES.replace(old, new))
    with pytest.raises(UserError) as error:
        registry.files("mine")
    assert error.value.summary == summary
    assert "files.yaml:" in (error.value.where or "")


def test_a_unit_without_files_yaml_says_so(mine: Path) -> None:
    (mine / "files.yaml").unlink()
    with pytest.raises(UserError, match="mine has no files.yaml"):
        registry.files("mine")


def _whole(card: str = CARD) -> str:
    """The same as one file, whose card needs neither its name nor its map's."""
    own = [line for line in card.splitlines() if not line.startswith(("name:", "label_map:"))]
    rest = "labels: {phase: {Prep: preparation}}\nsample: {files: {a.txt: x}, holds: {}}\n"
    return "card:\n" + "".join(f"  {line}\n" for line in own) + FILES + rest


def test_one_file_says_what_two_do(mine: Path) -> None:
    two = registry.card("mine"), registry.files("mine")
    for cached in (registry.packages, registry.card, registry.files):
        cached.cache_clear()
    for name in ("card.yaml", "files.yaml"):
        (mine / name).unlink()
    (mine / "dataset.yaml").write_text(_whole())
    assert registry.datasets() == ["mine"]
    assert (registry.card("mine"), registry.files("mine")) == two


@pytest.mark.parametrize(
    ("old", "new", "summary", "line"),
    [
        ("videos: 2", "videos: many", "bad videos", ":7"),
        ("  title: Mine\n", "", "fields are missing", ""),
        ("card:", "cards:", "card.yaml is not a mapping", ""),
    ],
)
def test_an_error_in_one_file_has_its_line(
    mine: Path, old: str, new: str, summary: str, line: str
) -> None:
    (mine / "card.yaml").unlink()
    (mine / "dataset.yaml").write_text(_whole().replace(old, new))
    with pytest.raises(UserError) as error:
        registry.card("mine")
    assert error.value.summary == summary
    assert error.value.where == f"surgqa/transforms/readers/mine/dataset.yaml{line}"


def test_a_package_may_have_one_file(tmp_path: Path, repo_root: Path) -> None:
    """Installed as pip would leave it: listed, read with its labels, and checked."""
    folder, told = tmp_path / "mine", tmp_path / "mine-1.dist-info"
    for path in (folder, told):
        path.mkdir()
    shipped = repo_root / "transforms" / "readers" / "m2cai16_tool" / "dataset.yaml"
    (folder / "__init__.py").write_text("")
    (folder / "dataset.yaml").write_text(shipped.read_text().replace("Hook: hook", "Hook: bipolar"))
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (told / "entry_points.txt").write_text("[surgqa.datasets]\nmy_tools = mine\n")
    code = (
        "import sys; from pathlib import Path; from surgqa.transforms import registry\n"
        "root = Path(sys.argv[1]); root.mkdir(); registry.load_sample('my_tools')(root)\n"
        "video = registry.load_reader('my_tools')(root).read('tool_video_01')\n"
        "print(video.instruments.labels, registry.card('my_tools').label_map)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "root"], capture_output=True, text=True,
        env={"PYTHONPATH": f"{tmp_path}:{repo_root}"}, check=False,
    )  # fmt: skip
    assert "'bipolar'" in done.stdout and "my_tools" in done.stdout, done.stderr
    assert "'hook'" not in done.stdout


def test_a_card_that_is_no_mapping_says_so(mine: Path) -> None:
    (mine / "card.yaml").write_text("- a\n- b\n")
    with pytest.raises(UserError, match="not a mapping"):
        registry.card("mine")


@cases(("name", "videos", "sizes"), [
    ("cholect50", 50, {"rendezvous": (35, 5, 10), "challenge": (40, 5, 5), "fold-1": (35, 5, 10),
                       "fold-5": (35, 5, 10)}),
    ("cholect45", 45, {"fold-1": (31, 5, 9), "fold-5": (31, 5, 9)}),
    ("cholec80", 80, {"endonet": (40, 0, 40), "tecno": (40, 8, 32), "tmrnet": (32, 8, 40)}),
    ("cholec80_cvs", 80, {"official": (50, 15, 15)}),
    ("cholectrack20", 20, {"official": (10, 2, 8)}),
    ("autolaparo", 321, {"official": (10 + 170, 4 + 57, 7 + 73)}),
])  # fmt: skip
def test_official_splits_have_their_published_sizes(name, videos, sizes) -> None:
    files = registry.files(name)
    assert len(files.video_ids) == videos
    for split, (train, val, test) in sizes.items():
        parts = list(files.splits[split].values())
        assert [parts.count(part) for part in ("train", "val", "test")] == [train, val, test]


@pytest.mark.parametrize("name", ["cholect45", "cholect50"])
def test_every_video_is_tested_in_exactly_one_fold(name: str) -> None:
    files = registry.files(name)
    folds = [split for key, split in files.splits.items() if key.startswith("fold-")]
    assert len(folds) == 5
    for video in files.video_ids:
        assert sum(fold[video] == "test" for fold in folds) == 1


@pytest.mark.parametrize(("name", "video_id", "path"), [
    ("cholec80", "video02", "videos/video02.mp4"),
    ("cholec80_cvs", "video02", "videos/video02.mp4"),
    ("cataract101", "269", "videos/case_269.mp4"),
    ("cholectrack20", "VID06", "Testing/VID06/vid06.MP4"),
    ("pitvis", "01", "video_01.mp4"),
])  # fmt: skip
def test_a_recording_is_found_and_never_opened(name, video_id, path, tmp_path: Path) -> None:
    registry.load_sample(name)(tmp_path)
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_bytes(b"no video at all")
    reader = registry.load_reader(name)(tmp_path)
    media = {video: reader.read(video).video.media for video in reader.videos()}
    films = {video: one.path for video, one in media.items() if one.kind is MediaKind.VIDEO}
    assert films == {video_id: path}


FORMATS = {"exports", "observed", "unified"}
"""Readers of formats that users bring, with all their modules in their own folders."""


@pytest.mark.parametrize("name", sorted({*registry.datasets()} - FORMATS))
def test_a_reader_is_short(name: str, repo_root: Path) -> None:
    """What datasets share is a family in ``readers/base``; a reader's own is 280 lines."""
    folder = repo_root / "transforms" / "readers" / name
    lines = [len(path.read_text(encoding="utf-8").splitlines()) for path in folder.glob("*.py")]
    assert sum(lines) <= 280
