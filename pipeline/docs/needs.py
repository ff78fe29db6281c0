"""Which annotations a template needs, from the operators it uses.

The tables say which operators look at boxes and which at interactions; a test asks every
template of a video that lacks them and finds that it declines.
"""

from __future__ import annotations

from pipeline.docs.operators import calls
from transforms.language import Template

INSTRUMENTS = "instruments at annotated instants"
BOXES = "instrument boxes"
INTERACTIONS = "interactions (verb and target of each instrument)"

_BOXES = frozenset(
    {
        ("slot", "box"), ("condition", "boxed"), ("condition", "continuous"),
        ("condition", "travel"), ("condition", "distinct_extremes"), ("condition", "runs_last"),
        ("condition", "off_lines"), ("condition", "nearest_by"), ("condition", "overlap"),
        ("condition", "apart_on_axes"), ("condition", "distance_change_clear"),
        ("condition", "distance_changes"), ("condition", "speed_word_clear"),
        ("condition", "path_word_clear"), ("answer", "extremes"), ("answer", "visible_runs"),
        ("answer", "box_at"), ("answer", "ninth"), ("answer", "nearest"), ("answer", "motion"),
        ("answer", "relative_position"), ("answer", "distance_change"), ("answer", "behaviour"),
    }
)  # fmt: skip

_INTERACTIONS = frozenset(
    {
        ("slot", "verb"), ("slot", "target"), ("slot", "change"),
        ("condition", "constant_action"), ("condition", "constant_target"),
        ("condition", "single_actions"), ("condition", "interactions_known"),
        ("condition", "touched_at"), ("condition", "touched_in_window"),
        ("condition", "touched_during"), ("condition", "only_one_doing"),
        ("condition", "not_idle"), ("condition", "not_none"), ("condition", "idle_around"),
        ("condition", "actions"), ("condition", "longest_by"), ("condition", "longest"),
        ("condition", "idle_share_clear"), ("condition", "first_action_inside"),
        ("condition", "leads_by"), ("condition", "targets_touched"),
        ("answer", "action_after"), ("answer", "action_in"), ("answer", "target_in"),
        ("answer", "idling"), ("answer", "touching"), ("answer", "interaction"),
        ("answer", "longest_stretch"), ("answer", "idle_time"), ("answer", "first_action"),
        ("answer", "sequence"), ("answer", "most_active"), ("answer", "most_targets"),
        ("answer", "dominant_verb"), ("answer", "targets_of"), ("answer", "same_target"),
        ("answer", "is_touched"), ("answer", "behaviour"),
    }
)  # fmt: skip


def needs(template: Template) -> list[str]:
    """Annotations without which the template is never asked."""
    used = set(calls(template))
    flags = [call.args for call in template.needs.values()]
    boxed = any(args.get("boxed") for args in flags)
    known = any(args.get("interactions_known") for args in flags)
    out = [INSTRUMENTS]
    if boxed or used & _BOXES:
        out.append(BOXES)
    if known or used & _INTERACTIONS:
        out.append(INTERACTIONS)
    return out
