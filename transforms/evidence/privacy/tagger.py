"""A user-supplied token-classification model that finds names in addition to the rules.

It is a folder as written by ``optimum-cli export onnx --task token-classification``:
``model.onnx``, ``tokenizer.json`` and ``config.json`` with ``id2label``.  It runs locally on one
thread.  Nothing is downloaded, and no text is sent anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from surgqa.ontology.errors import PackageMissing, WeightsBroken, WeightsMissing
from surgqa.transforms.evidence.base import file_digest, shared
from surgqa.transforms.evidence.privacy.masking import MaskedSpan
from surgqa.transforms.evidence.privacy.settings import SaidSettings
from surgqa.transforms.evidence.privacy.unknown import NameFinder, UnknownWords

MODEL, TOKENIZER, CONFIG = "model.onnx", "tokenizer.json", "config.json"
KINDS = {
    "NAME": ("PER", "PERSON", "NAME", "PATIENT", "STAFF", "HCW", "DOCTOR", "USERNAME", "SURNAME",
             "GIVENNAME", "FIRSTNAME", "LASTNAME"),
    "PLACE": ("LOC", "LOCATION", "HOSP", "HOSPITAL", "ADDRESS", "STREET", "CITY", "ZIP", "GPE",
              "ORGANIZATION", "PATORG", "VENDOR"),
    "DATE": ("DATE", "DATEOFBIRTH", "DOB"),
    "AGE": ("AGE",),
    "ID": ("ID", "IDNUM", "MEDICALRECORD", "SSN", "ACCOUNT", "LICENSE", "DEVICE"),
    "PHONE": ("PHONE", "TELEPHONENUM", "FAX", "PHONENUMBER"),
    "EMAIL": ("EMAIL",),
    "URL": ("URL",),
}  # fmt: skip
"""Our kinds, and the labels of models that mean them, without B-, I- and punctuation."""


@dataclass(frozen=True, slots=True)
class TextWindow:
    """How a long text is cut into windows.

    Attributes:
        tokens: tokens of the text in one window; the model's special tokens come in addition.
        overlap: tokens that two windows share; a shared token gets its label from the window in
            which it is farther from the border.
        score: minimum probability of a label, 0 to 1.
    """

    tokens: int = 256
    overlap: int = 64
    score: float = 0.5


class Tagger:
    """Finds what identifies a person, with a model in ONNX format.

    Args:
        folder: the folder with the three files.

    Raises:
        WeightsMissing, PackageMissing: a file, or a package that reads it, is missing.
        SourceBroken: none of the model's labels means one of our kinds.
    """

    def __init__(self, folder: Path, window: TextWindow | None = None) -> None:
        self.folder, self.window = folder, window or TextWindow()
        for name in (MODEL, TOKENIZER, CONFIG):
            if not (folder / name).is_file():
                raise WeightsMissing(
                    "the model for finding names is incomplete", expected=name, where=str(folder),
                    found="no such file",
                    fix="optimum-cli export onnx --task token-classification -m MODEL DIR",
                )  # fmt: skip
        self.labels = _labels(orjson.loads((folder / CONFIG).read_bytes()), str(folder / CONFIG))

    @property
    def identity(self) -> dict[str, Any]:
        """Digests of the model's files, and how texts are cut into windows."""
        files = {name: file_digest(self.folder / name) for name in (MODEL, TOKENIZER, CONFIG)}
        return {"files": files, "window": repr(self.window)}

    def spans(self, text: str, language: str | None = None) -> list[MaskedSpan]:
        """The spans found in a text in any language, in order and without overlaps."""
        del language
        encoded = self._tokenizer.encode(text, add_special_tokens=False)
        kinds = self._kinds(encoded.ids)
        out: list[MaskedSpan] = []
        for kind, (start, end) in zip(kinds, encoded.offsets, strict=True):
            if kind is None or start >= end:
                continue
            start, end = _whole_word(text, start, end)
            last = out[-1] if out else None
            # Join the pieces of one word, and the words of one name separated by a space.
            if last and kind == last.kind and not text[last.end : start].strip(" -'’"):
                out[-1] = MaskedSpan(last.start, max(last.end, end), kind)
            elif not last or start >= last.end:
                out.append(MaskedSpan(start, end, kind))
        return out

    def _kinds(self, ids: list[int]) -> list[str | None]:
        """The kind of each token; of two windows, the one with more context for it decides."""
        kinds: list[str | None] = [None] * len(ids)
        step = self.window.tokens - self.window.overlap
        margin = self.window.overlap // 2
        for first in range(0, max(1, len(ids) - self.window.overlap), step):
            told = self._window(ids[first : first + self.window.tokens])
            skip = margin if first else 0
            kinds[first + skip : first + len(told)] = told[skip:]
        return kinds

    def _window(self, ids: list[int]) -> list[str | None]:
        session = self._session
        head, tail = self._frame
        whole = np.array([[*head, *ids, *tail]], dtype=np.int64)
        feed = {"input_ids": whole, "attention_mask": np.ones_like(whole),
                "token_type_ids": np.zeros_like(whole)}  # fmt: skip
        wanted = {one.name for one in session.get_inputs()}
        (logits, *_) = session.run(None, {name: feed[name] for name in sorted(wanted)})
        logits = logits[0, len(head) : len(head) + len(ids)].astype(np.float64)
        share = np.exp(logits - logits.max(axis=-1, keepdims=True))
        share /= share.sum(axis=-1, keepdims=True)
        best = share.argmax(axis=-1)
        return [self.labels.get(int(label)) if row[label] >= self.window.score else None
                for label, row in zip(best, share, strict=True)]  # fmt: skip

    @cached_property
    def _tokenizer(self) -> Any:
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise _no_package("tokenizers") from None
        return Tokenizer.from_file(str(self.folder / TOKENIZER))

    @cached_property
    def _frame(self) -> tuple[list[int], list[int]]:
        """Special tokens that the tokenizer puts before and after a text."""
        mark = self._tokenizer.encode("a").ids
        bare = self._tokenizer.encode("a", add_special_tokens=False).ids
        at = next((i for i in range(len(mark)) if mark[i : i + len(bare)] == bare), 0)
        return mark[:at], mark[at + len(bare) :]

    @property
    def _session(self) -> Any:
        file = self.folder / MODEL
        return shared(("tagger", str(file), file_digest(file)), lambda: _load(file))


def tagger_of(settings: SaidSettings) -> NameFinder | None:
    """Return the user's model, the mask of unknown words, or both, as the settings ask; or None."""
    model = None
    if settings.names_model is not None:
        model = Tagger(Path(settings.names_model), TextWindow(score=settings.score))
    return UnknownWords(model) if settings.unknown_words else model


def _load(file: Path) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise _no_package("onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _no_package(name: str) -> PackageMissing:
    return PackageMissing(
        "cannot run the model for finding names",
        expected=f"package {name}",
        found="not installed",
        fix="pip install 'surgqa[names]'",
    )


def _labels(config: Mapping[str, Any], where: str) -> dict[int, str]:
    """Number of a label -> our kind, for the labels that have one."""
    meant = {label: kind for kind, labels in KINDS.items() for label in labels}
    told = config.get("id2label") or {}
    found = {int(n): meant[key] for n, label in told.items() if (key := _bare(label)) in meant}
    if not found:
        raise WeightsBroken(
            "the model for finding names has none of the labels that surgqa knows",
            expected=", ".join(sorted(meant)), found=", ".join(map(str, told.values())) or "none",
            where=where, fix="use a model for de-identification or for names of persons",
        )  # fmt: skip
    return found


def _bare(label: str) -> str:
    return re.sub(r"[^A-Z]", "", re.sub(r"^[BILUES][-_]", "", label.upper()))


def _whole_word(text: str, start: int, end: int) -> tuple[int, int]:
    """The span grown to whole words, because half a name still identifies a person."""
    while start and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    while start < end and text[start].isspace():
        start += 1
    return start, end
