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
    "rule_missing": "The template of an item cannot be asked in SQL, so its answer stays unproved.",
    "check_failed": "A limit, or what was measured against it, is not as the item says.",
    "gate_failed": "The item breaks a limit its task promises.",
    "slots_malformed": "A slot or the answer value is missing, not JSON or of the wrong shape.",
    "options_malformed": "Options, their keys and the answer key do not fit the item's form.",
    "option_true": "An option marked wrong is true.",
    "option_false": "The option marked right is not true.",
    "margin_differs": "An option's distance to the answer, or the level, is not what values give.",
    "pair_differs": "A pair is not two items of a video with one question and two answers.",
    "text_disagrees": "The answer's text does not say what the answer value says.",
    "pointer_none": "The item points to no evidence.",
    "pointer_missing": "An evidence pointer names a row that does not exist.",
    "pointer_outside": "An evidence pointer has another time than the window or row that it names.",
    "window_differs": "The item's window is not the one kept in evidence/segments.",
    "query_window_differs": "The window does not follow from the query time and its length.",
    "slot_differs": "A slot says something else than the evidence, or than the answer.",
    "draw_inadmissible": "A drawn value is not certainly one that its template draws from.",
    "template_missing": "The template of an item is not among those kept with the output.",
    "template_differs": "A field of an item is not the one that its template gives.",
    "identity_differs": "An id does not follow from the template, the window and the drawn values.",
    "words_differ": "A text is not what its template prints of the item's values.",
    "option_foreign": "A wrong option is no value of a pool that its template names.",
    "block_differs": "A block's items do not each offer all their answers, or are told by a place.",
    "rounds_malformed": "A stream's rounds do not lie about its event as they have to.",
    "round_differs": "A round expects another output than the evidence up to it gives.",
    "stage_differs": "A chain's question is not of the task, stage and form that it says.",
    "stage_texts": "A question has a text that its template has not, or lacks one it has.",
    "chain_incomplete": "A chain does not have each of its questions once.",
    "chain_mixed": "The questions of a chain are not about one event of one template.",
    "chain_window_differs": "A chain's window is not that of its id, its video or its stage.",
    "windows_not_narrower": "The windows of a chain do not become narrower from stage to stage.",
    "outside_window": "A question's answer or option is not inside its window.",
    "main_unfair": "A main question's options are not two whats at two times in all four ways.",
    "knowledge_differs": "A statement of knowledge is not what the bank gives for its event.",
    "video_unknown": "The item's video is not in evidence/videos.",
    "header_differs": "A field copied from the video differs from evidence/videos.",
    "split_leak": "One surgery or patient is in more than one split.",
    "hold_out_leak": "What the settings hold out is in another split, or the reverse.",
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
    "document_digest": "A file beside the data is not the one whose digest the manifest holds.",
    "settings_digest": "The digest of settings, templates and readers does not follow from them.",
    "books_unbalanced": "What was read is not what was kept, rejected and failed.",
    "manifest_differs": "The manifest's settings, templates, recordings, ledgers or shares are not "
    "those of the files beside it.",
    "books_differ": "The manifest's books or ledgers are not what rows and rejects add up to.",
    "signature_differs": "The manifest is not signed with the key that --verify names.",
    "ground_differs": "A fact, hole, box or instant of the evidence is not what the raw rows give.",
    "link_differs": "Linking the events again gives other tracks than the stored ones.",
    "track_differs": "A row of evidence/tracks does not agree with its events.",
    "evidence_malformed": "A row of evidence has a wrong id, no video, or fields that do not fit.",
    "event_malformed": "An event is not a possible one.",
    "moment_malformed": "A moment is not a possible one.",
    "source_unlisted": "A row's source file is not among the sources of its video.",
    "source_missing": "A label file that the evidence names is not under --root.",
    "source_changed": "A label file is not the one that the dataset was built from.",
    "source_unreadable": "A label file cannot be read a second time.",
    "source_pointer_broken": "A pointer leads to no place in its label file.",
    "source_time_differs": "The label file gives another time than the evidence.",
    "source_label_differs": "The label file gives another label or value than the evidence.",
    "source_box_differs": "The label file gives another box than the evidence.",
    "source_absence_differs": "At one instant the label file names others than the evidence.",
    "source_left_out": "The label files say more than the evidence holds and reading rejected.",
}

_WARNINGS = {
    "question_duplicate": "One clip has the same question twice, with the same answer.",
    "answer_modal": "The most frequent answer of a template has a share above one half.",
    "option_position": "The right answer's letter is not spread evenly over the options.",
    "option_length": "The right option is the longest one too often.",
    "blind_structural": "Options alone give the answer away more often than chance.",
}

_INFOS = {
    "answer_in_question": "The question names the label that is its answer.",
}


def _table() -> dict[str, tuple[Severity, str]]:
    groups = ((_ERRORS, Severity.ERROR), (_WARNINGS, Severity.WARNING), (_INFOS, Severity.INFO))
    return {code: (severity, text) for group, severity in groups for code, text in group.items()}


CODES: Mapping[str, tuple[Severity, str]] = MappingProxyType(_table())
