"""Every code a finding may carry: how grave it is and what it says.

``docs/checks.md`` lists the same codes with the same sentences; a test keeps both in
step.  An *error* makes an item or the folder wrong; a *warning* is something a
publisher should look at; *info* is a measurement.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Severity(StrEnum):
    """How grave a finding is; only errors count as differences."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


_ERRORS = {
    "answer_differs": "The answer recomputed from the evidence is not the stored one.",
    "answer_undecided": "The evidence does not decide the question.",
    "not_unique": "More than one answer fits the question as it is asked.",
    "gate_failed": "The item breaks a limit its task promises.",
    "check_failed": "A value the item says it measured does not keep the limit beside it.",
    "instance_differs": "An instrument's instance number, label or track is not the right one.",
    "slots_malformed": "A slot or the answer value is missing, not JSON or of the wrong shape.",
    "outside_vocabulary": "The item speaks about a class the video's annotators did not look for.",
    "options_malformed": "Options, their keys and the answer key do not fit the item's form.",
    "option_true": "An option marked wrong is true.",
    "option_false": "The option marked right is not true.",
    "option_unreadable": "An option's text cannot be read as a value of the answer's type.",
    "text_disagrees": "The answer's text does not say what the answer value says.",
    "pointer_none": "The item points to no evidence.",
    "pointer_missing": "An evidence pointer names a row that does not exist.",
    "pointer_outside": "An evidence pointer leaves the item's window or its own row's time.",
    "window_differs": "The item's window is not the one kept in evidence/segments.",
    "mode_differs": "The temporal mode, the task and the rounds of an item do not fit.",
    "query_window_differs": "The window does not follow from the query time and its length.",
    "future_shown": "What a question shows or rests on comes after its query time.",
    "rounds_malformed": "A stream's rounds do not lie about its event as they have to.",
    "round_differs": "A round expects another output than the evidence up to it gives.",
    "video_unknown": "The item's video is not in evidence/videos.",
    "header_differs": "A field copied from the video differs from evidence/videos.",
    "split_leak": "One surgery or patient is in more than one split.",
    "alias_leak": "One surgery is known by several names that are not in one split group.",
    "item_id_malformed": "An item's id is not 32 lower-case hexadecimal characters.",
    "item_id_duplicate": "Two items carry the same id.",
    "question_contradicts": "One clip has the same question twice with different answers.",
    "template_repeated": "One template has more than one item in one window.",
    "shard_order": "The rows of a shard are not in the order of their ids.",
    "shard_misplaced": "A row lies in the shard of another benchmark or split.",
    "formats_differ": "The Parquet and JSON Lines files of one shard hold different rows.",
    "file_missing": "The manifest lists a file that is not there.",
    "file_digest": "A file's bytes do not have the digest in the manifest.",
    "file_unlisted": "A data or evidence file is not listed in the manifest.",
    "manifest_digest": "The manifest's own digest does not follow from its list of files.",
    "manifest_items": "The manifest's counts of items differ from the rows found.",
    "link_differs": "Linking the events again gives other tracks than the stored ones.",
    "track_differs": "A row of evidence/tracks does not agree with its events.",
    "event_malformed": "An event is not a possible one.",
    "source_unlisted": "An event's source file is not among the sources of its video.",
}

_WARNINGS = {
    "rule_missing": "No rule recomputes this task, so its answer stays unverified.",
    "question_duplicate": "One clip has the same question twice, with the same answer.",
    "answer_modal": "The most frequent answer of a template has a share above one half.",
    "option_position": "The right answer's letter is not spread evenly over the options.",
    "option_length": "The right option is the longest one too often.",
}

_INFOS = {
    "answer_in_question": "The question names the label that is its answer.",
    "answer_in_sibling": "Another question about the same moment of the clip names the answer.",
}


def _table() -> dict[str, tuple[Severity, str]]:
    groups = ((_ERRORS, Severity.ERROR), (_WARNINGS, Severity.WARNING), (_INFOS, Severity.INFO))
    return {code: (severity, text) for group, severity in groups for code, text in group.items()}


CODES: Mapping[str, tuple[Severity, str]] = MappingProxyType(_table())
