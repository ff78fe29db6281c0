"""Settings from files: shared ones are built again, and every mistake in them is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.ontology.errors import UserError
from surgqa.ontology.yaml import read_yaml
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.config import DatasetRun, load_run
from surgqa.pipeline.documents import _yaml
from surgqa.pipeline.located import located
from tests.each import cases

BENCHMARKS = {
    "surgstu": ("cholect50", "window"), "medstream": ("cholect50", "state_now.phase"),
    "surgcot": ("cholect50", "affordance.event"), "sapbench": ("cholect50", "next_action"),
    "surgveo": ("autolaparo", "stage_now.laparoscopic"),
}  # fmt: skip
"""Benchmark -> a dataset, and one of its templates that is asked about it."""
CLIPS = "video,start,end,action\nVID01,0,9,Dissection\nVID01,10,13,Coagulation\n"


@pytest.fixture(scope="module")
def roots(sample: Callable[..., Path]) -> dict[str, Path]:
    """Samples of the datasets."""
    return {name: sample(name) for name, _ in set(BENCHMARKS.values())}


def digests(out: Path) -> tuple[str, str]:
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    return manifest["digest"], manifest["settings_digest"]


def again(out: Path, *places: str) -> tuple[str, str]:
    """Digests of what the settings of an output give, built from its own file."""
    target = out.parent / "again"
    assert run(["build", str(out / "config.yaml"), *places, "--out", str(target)]) == 0
    return digests(target)


def test_the_settings_of_an_output_build_it_again(roots: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    line = ["--benchmark", ",".join(BENCHMARKS), "--out", str(out), "--seed", "007", "--format",
            "jsonl", "--allow-empty", "--limit", "1"]  # fmt: skip
    for name, root in roots.items():
        line += ["--dataset", name, "--root", str(root)]
    for benchmark, (_, asked) in BENCHMARKS.items():
        line += ["--only", f"{benchmark}.{asked}"]
    assert run(["build", *line]) == 0
    places = [word for name, root in roots.items() for word in ("--root", f"{name}={root}")]
    assert again(out, *places) == digests(out)
    text = (out / "config.yaml").read_text(encoding="utf-8")
    assert not any(str(root) in text for root in roots.values())


def test_what_was_laid_over_is_named_again(
    roots: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clips, out = tmp_path / "clips.csv", tmp_path / "out"
    clips.write_text(CLIPS, encoding="utf-8")
    line = ["--dataset", "cholect50", "--root", str(roots["cholect50"]), "--benchmark",
            "sapbench,medstream", "--out", str(out), "--action-clips", str(clips), "--mix",
            "medstreambench", "--modal-cap", "0.4", "--limit", "2", "--max-failed", "1", "--only",
            "sapbench.next_action", "--only", "medstream.state_now.phase"]  # fmt: skip
    assert run(["build", *line]) == 0
    capsys.readouterr()
    root = ["--root", str(roots["cholect50"])]
    assert run(["build", str(out / "config.yaml"), *root, "--out", str(tmp_path / "no")]) == 2
    err = capsys.readouterr().err
    assert "its path is not stored here: pass --action-clips cholect50=PATH" in err
    assert again(out, *root, "--action-clips", str(clips)) == digests(out)


def test_a_missing_root_is_told_by_name_and_the_environment_may_hold_it(
    roots: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "datasets:\n- name: cholect50\n- name: autolaparo\n  root: x\n", encoding="utf-8"
    )
    with pytest.raises(UserError) as error:
        load_run(file, {"out": "out"})
    assert "config.yaml:2:" in str(error.value)
    assert "--root cholect50=PATH" in str(error.value)
    monkeypatch.setenv("SURGQA_ROOT_CHOLECT50", "/data")
    assert [one.root for one in load_run(file, {"out": "out"}).datasets] == ["/data", "x"]


@pytest.mark.parametrize(
    ("names", "texts", "roots"),
    [
        pytest.param(["a"], ["/x"], ["/x"], id="one"),
        pytest.param(["a"], ["a=/x"], ["/x"], id="one-by-name"),
        pytest.param(["a"], ["k=v/x"], ["k=v/x"], id="a-path-with-an-equals-sign"),
        pytest.param(["a", "b"], ["b=/y", "a=/x"], ["/x", "/y"], id="two"),
        pytest.param(["a", "a"], ["a=/x", "a=/y"], ["/x", "/y"], id="twice-the-same"),
        pytest.param(["a", "b"], ["b=/y"], ["old", "/y"], id="the-other-from-the-file"),
    ],
)
def test_roots_of_datasets(names: Sequence[str], texts: Sequence[str], roots: list[str]) -> None:
    found = located([{"name": name, "root": "old"} for name in names], {"root": texts}, {})
    assert [one["root"] for one in found] == roots


@pytest.mark.parametrize(
    ("names", "texts", "said"),
    [
        pytest.param(["cholect50", "b"], ["/x"], "does not say for which dataset", id="whose"),
        pytest.param(["cholect50", "b"], ["cholect5=/x"], "did you mean cholect50?", id="typo"),
        pytest.param(["a"], ["/x", "/y"], "does not say for which dataset", id="too-many"),
        pytest.param(["a", "b"], ["a=/x", "a=/y"], "given too often for a", id="twice"),
    ],
)
def test_places_for_no_dataset(names: Sequence[str], texts: Sequence[str], said: str) -> None:
    with pytest.raises(UserError) as error:
        located([{"name": name} for name in names], {"root": texts}, {})
    assert said in str(error.value)


@cases("odd", [None, 3, "x", ["x"], [None], {"name": "x"}])
def test_datasets_of_another_shape_are_left_to_the_check(odd: object) -> None:
    assert located(odd, {"root": ["/x"]}, {}) == odd


@pytest.fixture
def told(tmp_path: Path) -> Callable[[str], str]:
    """What is said of a run file that cannot be used."""

    def of(text: str) -> str:
        file = tmp_path / "run.yaml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(UserError) as error:
            load_run(file, {})
        return str(error.value)

    return of


@pytest.mark.parametrize(
    ("line", "place", "meant"),
    [
        ("benchmark: [surgstu]", "run.yaml:3:1", "benchmarks"),
        ("shard_row: 3", "run.yaml:3:1", "shard_rows"),
        ("balance: {modalcap: 0.5}", "run.yaml:3:11", "modal_cap"),
        ("mix: {proactiv: 1}", "run.yaml:3:7", "proactive"),
    ],
)
def test_a_misspelt_setting_brings_the_closest_one_and_its_place(
    told: Callable[[str], str], line: str, place: str, meant: str
) -> None:
    message = told(f"out: out\ndatasets: [{{name: cholect50, root: x}}]\n{line}\n")
    assert place in message and f"did you mean {meant!r}?" in message


def test_a_misspelt_setting_of_a_dataset(told: Callable[[str], str]) -> None:
    message = told("out: o\ndatasets:\n  - name: cholect50\n    root: x\n    video: [VID01]\n")
    assert "run.yaml:5:5" in message and "did you mean 'videos'?" in message


def test_what_is_missing_names_its_option(told: Callable[[str], str]) -> None:
    message = told("profile: paper\n")
    assert "--out PATH" in message and "--dataset NAME --root DIR" in message


@pytest.mark.parametrize("name", ["benchmarks", "only"])
def test_a_misspelt_name_brings_the_closest_one(
    name: str, roots: dict[str, Path], tmp_path: Path
) -> None:
    from surgqa.pipeline.run import plan

    typo, meant = {"benchmarks": ("medstrem", "medstream"),
                   "only": ("surgstu.locat", "surgstu.locate")}[name]  # fmt: skip
    dataset = {"name": "cholect50", "root": str(roots["cholect50"])}
    config = load_run(None, {"datasets": [dataset], "out": str(tmp_path / "o"), name: [typo]})
    with pytest.raises(UserError, match=f"did you mean {meant}?"):
        plan(config)


def test_an_unknown_mix_says_which_there_is(told: Callable[[str], str]) -> None:
    message = told("out: out\nmix: medstream\ndatasets: [{name: cholect50, root: x}]\n")
    assert "run.yaml:2:1" in message and "medstreambench" in message


@settings(deadline=None, derandomize=True, max_examples=200)
@given(
    st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc"))), max_size=3),
    st.text("0123456789eE.+-_nofy", max_size=6),
)
def test_any_setting_survives_its_file(videos: list[str], seed: str) -> None:
    plain = {"seed": seed, "videos": videos, "licence": seed or None}
    assert read_yaml(_yaml(plain), "config.yaml").data == plain
    assert DatasetRun(name="a", root="b", videos=videos).videos == videos
