"""The two prompts of a sample: one names the stage of the operation in a sentence, one does not.

Both are text files with the slots {procedure}, {modality} and {stage}, which users may replace. A
sentence ends with a full stop, a question mark or an exclamation mark before white space.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from surgqa.ontology.concepts import LABEL_KINDS, vocabulary
from surgqa.ontology.continuations import BASELINE, PROMPTS, STAGE_AWARE, TRACKS, OperationTrack
from surgqa.ontology.errors import PromptInvalid, UserError
from surgqa.ontology.files import read_bytes, read_text

SLOTS = ("procedure", "modality", "stage")
_SLOT = re.compile(r"\{([^{}]*)\}")
_BRACE = re.compile(r"[{}]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class PromptPair:
    """The two texts with their slots, and the names of their files, which messages name."""

    baseline: str
    stage_aware: str
    baseline_file: str = f"{BASELINE}.txt"
    stage_aware_file: str = f"{STAGE_AWARE}.txt"


def packaged() -> PromptPair:
    """Return the built-in texts, which are not the texts of the benchmark's paper."""
    texts = [files(__name__).joinpath(f"{name}.txt").read_text("utf-8") for name in PROMPTS]
    return PromptPair(*texts)


def read_prompts(folder: Path) -> PromptPair:
    """Return the texts ``baseline.txt`` and ``stage_aware.txt`` of a folder.

    Raises:
        SourceMissing: one of the files is missing.
        UserError: the texts are not a pair; see :func:`check_pair`.
    """
    paths = [folder / f"{name}.txt" for name in PROMPTS]
    texts = [read_text(read_bytes(one, str(one)), str(one)) for one in paths]
    prompts = PromptPair(*texts, *map(str, paths))
    check_pair(prompts)
    return prompts


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, with each run of white space replaced by one space."""
    parts = _SENTENCE_END.split(text.strip())
    return [" ".join(part.split()) for part in parts if part.strip()]


def check_pair(prompts: PromptPair) -> None:
    """Raise an error unless the texts are equal except for a second sentence that names the stage.

    Raises:
        UserError: a slot is unknown, the baseline contains {stage} or the name of a stage, or the
            texts differ in another way.
    """
    pair = ((prompts.baseline, prompts.baseline_file),
            (prompts.stage_aware, prompts.stage_aware_file))  # fmt: skip
    for text, where in pair:
        _check_slots(text, where)
    plain, aware = sentences(prompts.baseline), sentences(prompts.stage_aware)
    if "{stage}" in prompts.baseline:
        raise PromptInvalid(
            "the baseline prompt contains the stage", expected="no {stage}", found="{stage}",
            where=prompts.baseline_file, fix="use {stage} in the stage-aware prompt only",
        )  # fmt: skip
    if not plain or [*aware[:1], *aware[2:]] != plain or len(aware) != len(plain) + 1:
        raise _other_difference(plain, aware, prompts.stage_aware_file)
    if "{stage}" not in aware[1]:
        raise PromptInvalid(
            "the added sentence does not name the stage", expected="{stage} in that sentence",
            found=aware[1], where=prompts.stage_aware_file, fix="put the slot {stage} into it",
        )  # fmt: skip
    if prompts.stage_aware.count("{stage}") > 1:
        raise PromptInvalid(
            "{stage} occurs more than once", expected="{stage} once", found=aware[1],
            where=prompts.stage_aware_file, fix="write {stage} in the second sentence only",
        )  # fmt: skip
    for track in TRACKS.values():
        for stage in track.stages:
            _check_no_stage(prompts.baseline, track, stage, prompts.baseline_file)


def prompts_of(prompts: PromptPair, track: OperationTrack, stage: str) -> dict[str, str]:
    """Return the two prompts of a sample by name, each as one paragraph.

    Args:
        stage: id of the stage.

    Raises:
        UserError: the prompts differ by more than one sentence, for example because the name of a
            stage contains a full stop.
    """
    name = vocabulary(f"{track.kind}s")[stage].display
    values = {"procedure": track.procedure, "modality": track.modality, "stage": name}
    filled = {
        prompt: " ".join(sentences(_SLOT.sub(lambda slot: values[slot[1]], text)))
        for prompt, text in ((BASELINE, prompts.baseline), (STAGE_AWARE, prompts.stage_aware))
    }
    plain, aware = sentences(filled[BASELINE]), sentences(filled[STAGE_AWARE])
    if [*aware[:1], *aware[2:]] != plain or len(aware) != len(plain) + 1:
        raise _other_difference(plain, aware, prompts.stage_aware_file)
    return filled


def _check_slots(text: str, where: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        unknown = [name for name in _SLOT.findall(line) if name not in SLOTS]
        lone = _BRACE.search(_SLOT.sub("", line))
        if unknown or lone:
            found = f"{{{unknown[0]}}}" if unknown else f"a single {lone[0] if lone else ''}"
            raise PromptInvalid(
                "a prompt has an unknown slot", expected=", ".join(f"{{{one}}}" for one in SLOTS),
                found=found, where=f"{where}:{number}", fix="use only the expected slots",
            )  # fmt: skip


def _check_no_stage(text: str, track: OperationTrack, stage: str, where: str) -> None:
    # Slots are removed first, because the name of an operation may contain the name of a stage.
    plain = " ".join(_SLOT.sub(" ", text).casefold().replace("_", " ").split())
    terms = vocabulary(f"{track.kind}s") if f"{track.kind}s" in LABEL_KINDS else {}
    term = terms.get(stage)
    names = [stage.replace("_", " "), *([term.display, *term.synonyms] if term else [])]
    for name in names:
        if re.search(rf"\b{re.escape(name.casefold())}\b", plain):
            raise PromptInvalid(
                "the baseline prompt names a stage", expected="no name of a stage", found=name,
                where=where, fix="rewrite the sentence without the name of a stage",
            )  # fmt: skip


def _other_difference(plain: list[str], aware: list[str], where: str) -> UserError:
    expected = "the baseline's sentences, with one more after the first"
    if len(aware) != len(plain) + 1:
        found = f"{len(plain)} sentence(s) without the stage, {len(aware)} with it"
    else:
        rest = [*aware[:1], *aware[2:]]
        found = next((b for a, b in zip(plain, rest, strict=False) if a != b), rest[0])
    return PromptInvalid(
        "the two prompts differ by more than the stage", expected=expected, found=found,
        where=where, fix="copy the baseline and add one sentence with {stage} after its first",
    )  # fmt: skip
