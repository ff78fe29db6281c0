"""Kinds of facts: their fields, how they are labelled in time, and their wording.

Each kind is one file, ``ontology/kinds/<kind>.yaml``:

``fields``
    name of a field -> domain of its values: a vocabulary in the singular (``instrument``),
    ``any``, or ``act box effect force kind number rater reason text track``.
``exclusive``
    ``video``, ``subject`` or ``track``: a video, a subject (who acts) or a track has at most one
    label of the kind at a time; ``no``: it may have several
``labelled``
    ``spans``, ``instants``, ``whole`` (of a whole video), ``noted`` (a fact that is not stated is
    absent, because the whole video was annotated or the fact only accompanies another), ``never``
    (general knowledge)
``union``
    kinds whose facts also count as facts of this kind
``shortest_us``, ``bridge_us``
    duration of the shortest fact of the kind; longest gap across which the same label continues
``observer``
    the function that derives facts of the kind from other facts if a template needs them and nobody
    labelled them: its name (``by``) and its settings
``words``
    wording of a fact; names in braces stand for the forms of its labels
``terms``
    label -> wording of a fact with this label, if the kind's ``words`` are wrong for it

A kind without a file, for example from a user's table, has the settings of :func:`default_kind`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from surgqa.ontology.concepts import LABEL_KINDS, load_data, vocabulary, vocabulary_files
from surgqa.ontology.errors import FieldInvalid
from surgqa.ontology.files import listed
from surgqa.ontology.records import Span, VideoLabel

EXCLUSIVE = ("video", "subject", "track", "no")
LABELLED = ("spans", "instants", "whole", "noted", "never")
FIELDS = ("label", "subject", "verb", "target", "act", "track", "value", "box", "rater", "text")
WORDS = ("noun", "clause", "asks", "begins", "gerund", "none")
ANY = "any"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fact; the module docstring describes most attributes.

    Attributes:
        described: whether the kind has a file.
    """

    name: str
    fields: Mapping[str, str]
    exclusive: str
    labelled: str
    words: Mapping[str, str]
    union: tuple[str, ...] = ()
    shortest_us: int = 0
    bridge_us: int = 0
    described: bool = True
    observer: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def timeless(self) -> bool:
        """True if facts of the kind have no time. Every temporal relation is then true for them."""
        return self.labelled in ("whole", "never")


@cache
def kind_names() -> tuple[str, ...]:
    """Return every kind with a file, sorted."""
    from pathlib import Path

    folder = Path(str(resources.files("surgqa.ontology") / "kinds"))
    return tuple(file.stem for file in listed(folder) if file.suffix == ".yaml")


@cache
def kind(name: str) -> Kind:
    """Return one kind; the result of :func:`default_kind` if no file describes it.

    Raises:
        UserError: the kind's file is invalid.
    """
    return _read(name) if name in kind_names() else default_kind(name)


def default_kind(name: str) -> Kind:
    """Return the settings for a kind that occurs only in a user's table."""
    noun = name.replace("_", " ")
    return Kind(
        name,
        {"label": name, "subject": ANY, "verb": "verb", "target": ANY, "value": "number",
         "track": "track", "box": "box", "text": "text"},
        "no", "spans",
        {"noun": "{name}", "clause": "{name} is seen", "asks": "is {name} seen",
         "begins": "{name} begins", "gerund": "{name}", "none": f"no {noun}"},
        described=False,
    )  # fmt: skip


def terms_of(domain: str) -> tuple[str, ...]:
    """Return the concept ids of a domain of labels, sorted; empty if there is no full list."""
    if f"{domain}s" in LABEL_KINDS:
        return tuple(sorted(vocabulary(f"{domain}s")))
    if domain == "effect":
        return tuple(sorted(load_data("knowledge", "effects")["effects"]))
    if domain == "reason":
        return tuple(sorted(_reasons()))
    return _CLOSED.get(domain, ())


@cache
def _reasons() -> frozenset[str]:
    """Return the ids of the rules in the knowledge bank; each rule has a reason."""
    bank = load_data("knowledge", "rules")
    return frozenset(key for part in (*bank["operations"].values(), bank["any"]) for key in part)


@cache
def lists_of(domain: str) -> tuple[tuple[str, ...], ...]:
    """Return the ids in each vocabulary file of a domain, the general file first.

    The result is empty if the domain has no vocabulary.
    """
    if f"{domain}s" not in LABEL_KINDS:
        return ()
    return tuple(tuple(load_data("vocab", name)) for name in vocabulary_files(f"{domain}s"))


_CLOSED: Mapping[str, tuple[str, ...]] = {
    "cue": ("approach", "camera", "intent", "positioned"),
    "force": ("always", "usually"),
}


def _read(name: str) -> Kind:
    data = load_data("kinds", name)
    where = f"ontology/kinds/{name}.yaml"
    _one_of(data, "exclusive", EXCLUSIVE, where)
    _one_of(data, "labelled", LABELLED, where)
    for name_of_field in data["fields"]:
        if name_of_field not in FIELDS:
            raise FieldInvalid(
                f"no field {name_of_field!r}", expected=", ".join(FIELDS), where=where
            )
    if data["kind"] != name or set(data["words"]) != set(WORDS):
        summary = "'kind' is not the file's name, or 'words' lacks a form"
        raise FieldInvalid(summary, expected=", ".join(WORDS), where=where)
    return Kind(
        name, dict(data["fields"]), data["exclusive"], data["labelled"], dict(data["words"]),
        tuple(data.get("union", ())), int(data.get("shortest_us", 0)),
        int(data.get("bridge_us", 0)), observer=dict(data.get("observer", {})),
        terms=dict(data.get("terms", {})),
    )  # fmt: skip


def _one_of(data: Mapping[str, object], key: str, known: tuple[str, ...], where: str) -> None:
    if data.get(key) not in known:
        raise FieldInvalid(
            f"{key!r} has an invalid value", expected=", ".join(known), found=str(data.get(key)),
            where=where,
        )  # fmt: skip


SPANNED = {"next_action": "action_clip"}
"""Kind of an interval that a reader returns -> kind of the fact that it becomes, if they differ."""


def kind_of_span(span: Span | VideoLabel) -> str:
    """Return the kind of fact that an interval, or a label of a whole video, becomes."""
    return SPANNED.get(span.kind, span.kind)
