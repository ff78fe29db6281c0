"""The allowed responses, and the note below the question that states them."""

from __future__ import annotations

from surgqa.transforms.inference.windows import protocol_of

LABEL = "Response protocol:"

_WINDOW = (
    "Judge by the given window alone. If it does not show enough to decide, reply with the "
    "single word unanswerable; otherwise reply with "
)

_STREAM = (
    "Judge by what the stream has shown so far. Reply no_alert while there is nothing to "
    "report, uncertain while the signs can be read either way, and alert: with the reason "
    "and what shows it, in a few words, once it is there."
)

NOTES = {
    ("unanswerable | answer", "closed"): (
        _WINDOW + "one of the choices, as it is written, and nothing else."
    ),
    ("unanswerable | answer", "open"): (
        _WINDOW + "the answer in one or two sentences, and say what you see that shows it."
    ),
    ("no_alert | uncertain | alert: <reason>", "open"): _STREAM,
    ("no_alert | uncertain | alert: <reason>", "closed"): _STREAM,
}
"""Note by protocol and question type.  Open answers are scored for their evidence, so their note
always asks for it.  A choice stands alone and is never an alert."""


def note_of(temporal_mode: str, question_type: str) -> str:
    """Return the note of an item, without the heading of the note.

    Args:
        question_type: ``closed`` or ``open``.
    """
    return NOTES[protocol_of(temporal_mode) or "", question_type]


def with_note(question: str, temporal_mode: str, question_type: str) -> str:
    """The question as a model reads it: its text, an empty line, the note of its protocol."""
    return f"{question}\n\n{LABEL} {note_of(temporal_mode, question_type)}"
