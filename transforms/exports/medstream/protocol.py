"""What a reply may be, and the note that says so below the question."""

from __future__ import annotations

from transforms.inference.windows import protocol_of

LABEL = "Response protocol:"

NOTES = {
    "unanswerable | answer": (
        "Judge by the given window alone. If it does not show enough to decide, reply with the "
        "single word unanswerable; otherwise reply with the answer and nothing else."
    ),
    "no_alert | uncertain | alert: <reason>": (
        "Judge by what the stream has shown so far. Reply no_alert while there is nothing to "
        "report, uncertain while the signs can be read either way, and alert: with the reason "
        "in a few words once it is there."
    ),
}


def with_note(question: str, temporal_mode: str) -> str:
    """The question as a model reads it: the stem, an empty line, the note of its protocol."""
    protocol = protocol_of(temporal_mode) or ""
    return f"{question}\n\n{LABEL} {NOTES[protocol]}"
