"""Files that a user adds to a dataset (anomalies, action clips), and the evidence in them."""

from __future__ import annotations

from dataclasses import replace

from surgqa.ontology.records import Books, Code, Rejected, VideoEvidence


def without(
    evidence: VideoEvidence, what: str, where: str, why: str, code: Code = Code.NO_EVIDENCE
) -> VideoEvidence:
    """Return the evidence of a video, with a rejection that states why nothing was added to it.

    Args:
        what: unit that is counted as rejected, such as ``files of anomalies``.
    """
    return replace(
        evidence,
        rejected=(*evidence.rejected, Rejected("read", evidence.video.key, code, why, where)),
        books=(*evidence.books, Books("read", what, 1, 0, 1)),
    )
