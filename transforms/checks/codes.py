"""All codes of findings, each with a severity and a sentence that says what is wrong.

``docs/checks.md`` lists the same codes with the same sentences; a test compares them.
An *error* means that an item or the folder is wrong; a *warning* is something that a
publisher should inspect; *info* is a measurement.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Severity(StrEnum):
    """Severity of a finding; a check fails only if there are errors."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


_ERRORS = {
    "answer_differs": "The answer recomputed from the evidence is not the stored one.",
    "answer_undecided": "The evidence does not decide the question.",
    "rule_missing": "The template of an item has no SQL query, so its answer is not proved.",
    "check_failed": "A limit of the template, or its measured value, differs from the item's.",
    "gate_failed": "A condition of the template is not certainly true of the item.",
    "slots_malformed": "A slot or the answer value is missing, not JSON or of the wrong shape.",
    "options_malformed": "Options, their keys and the answer key do not fit the item's form.",
    "option_true": "An option marked wrong is true.",
    "option_false": "The option marked right is not true.",
    "margin_differs": "A margin (distance from the answer) or the level does not match the values.",
    "pair_differs": "The two items of a pair do not have the same question and different answers.",
    "text_disagrees": "The answer's text does not agree with the answer's value.",
    "pointer_none": "The item points to no evidence.",
    "pointer_missing": "An evidence pointer names a row that does not exist.",
    "pointer_outside": "An evidence pointer has another time than its row or is not in the window.",
    "window_differs": "The item's window is not the one stored in evidence/segments.",
    "query_window_differs": "The time of the question or its window breaks the template's rules.",
    "slot_differs": "The value of a name in slots differs from the evidence or from the answer.",
    "draw_inadmissible": "A drawn value is not certainly among those its template draws from.",
    "template_missing": "The template of an item is not stored with the output.",
    "template_differs": "A field of an item differs from the value that its template gives.",
    "identity_differs": "An id does not follow from the template, the window and the drawn values.",
    "words_differ": "A text is not what its template renders from the item's values.",
    "option_foreign": "A distractor is not a value of any pool of its template.",
    "block_differs": "A block's items do not offer all its answers, or their order reveals one.",
    "rounds_malformed": "The times or fields of a stream's rounds break its template's rules.",
    "round_differs": "A round's expected output does not follow from the evidence up to its time.",
    "stage_differs": "A chain's question has a wrong stage.",
    "stage_texts": "A context, clue, knowledge or rubric is missing, or its template has none.",
    "chain_incomplete": "A chain does not have each of its questions exactly once.",
    "chain_mixed": "The questions of a chain are not about one event of one template.",
    "chain_window_differs": "A chain's window does not fit its stage.",
    "windows_not_narrower": "The windows of a chain do not become narrower from stage to stage.",
    "outside_window": "A question's answer or option is not inside its window.",
    "main_unfair": "A main question's options do not combine two options of each earlier question.",
    "knowledge_differs": "A statement of knowledge is not the one in the bank for its event.",
    "video_unknown": "The item's video is not in evidence/videos.",
    "header_differs": "A field copied from the video differs from evidence/videos.",
    "split_leak": "One surgery or patient is in more than one split.",
    "hold_out_leak": "A held-out video is in another split, or another video is in 'held_out'.",
    "alias_leak": "Videos of one surgery in several datasets are not in one split group.",
    "item_id_malformed": "An item's id is not 32 lower-case hexadecimal characters.",
    "item_id_duplicate": "Two items have the same id.",
    "question_contradicts": "One clip has the same question twice with different answers.",
    "template_repeated": "One template has more than one item in one window.",
    "shard_order": "The rows of a shard are not in the order of their ids.",
    "shard_misplaced": "A row is in the shard of another benchmark or split.",
    "formats_differ": "The Parquet and JSON Lines files of one shard contain different rows.",
    "file_missing": "The manifest lists a file that is not there.",
    "file_digest": "A file's bytes do not have the digest in the manifest.",
    "file_unlisted": "A data or evidence file is not listed in the manifest.",
    "manifest_digest": "The manifest's own digest does not follow from its list of files.",
    "manifest_items": "The manifest's counts of items differ from the rows found.",
    "document_digest": "A document's bytes do not have the digest in the manifest.",
    "settings_digest": "The manifest's digest of settings, templates and readers is not theirs.",
    "books_unbalanced": "The row counts do not add up: read is not kept + rejected + failed.",
    "manifest_differs": "The manifest's settings, templates, videos, counts for each template or "
    "shares differ from the output's files.",
    "books_differ": "The manifest's row counts differ from the rows and rejected rows found.",
    "signature_differs": "The manifest is not signed with the key that --verify names.",
    "ground_differs": "A fact, gap, box or instant of the evidence differs from the raw rows.",
    "link_differs": "Linking the events again gives different tracks from the stored ones.",
    "track_differs": "A row of evidence/tracks does not agree with its events.",
    "evidence_malformed": "A row of evidence has a wrong id, no video, or fields that do not fit.",
    "event_malformed": "An event has impossible or duplicate values.",
    "moment_malformed": "A moment has impossible or duplicate values.",
    "source_unlisted": "A row's source file is not among the sources of its video.",
    "source_missing": "A label file that the evidence names is not under --root.",
    "source_changed": "A label file differs from the one that the dataset was built from.",
    "source_unreadable": "A label file cannot be read a second time.",
    "source_pointer_broken": "A pointer names a place that its label file does not have.",
    "source_time_differs": "The label file gives another time than the evidence.",
    "source_label_differs": "The label file gives another label or value than the evidence.",
    "source_box_differs": "The label file gives another box than the evidence.",
    "source_absence_differs": "Label file and evidence name different objects at one instant.",
    "source_left_out": "The label files have labels that are neither evidence nor rejected.",
}

_WARNINGS = {
    "question_duplicate": "One clip has the same question twice, with the same answer.",
    "answer_modal": "One answer has more than 50 % of a template's items (yes/no: 60 %).",
    "option_position": "The right answer's letter is not spread evenly over the options.",
    "option_length": "The right option is the longest one too often.",
    "blind_structural": "Guessing from the options alone is right more often than chance.",
}

_INFOS = {
    "answer_in_question": "The question names the label that is its answer.",
}


def _table() -> dict[str, tuple[Severity, str]]:
    groups = ((_ERRORS, Severity.ERROR), (_WARNINGS, Severity.WARNING), (_INFOS, Severity.INFO))
    return {code: (severity, text) for group, severity in groups for code, text in group.items()}


CODES: Mapping[str, tuple[Severity, str]] = MappingProxyType(_table())
