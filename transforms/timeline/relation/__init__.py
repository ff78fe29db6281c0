"""Facts: everything that is known of some videos, as one relation in columns.

A fact is something that holds for a while: an instrument in view, an action, a phase, a finding.
Its start and its end are ranges, because labels know them no better.  Beside the facts stand the
*holes*: where nobody looked, or not closely enough, so that absence differs from silence.

Times of several videos lie on one axis (:data:`SHIFT`), so that one search serves all of them.
"""

from transforms.timeline.relation.table import FAR, NONE, SHIFT, Recording, Relation, on_axis

__all__ = ["FAR", "NONE", "SHIFT", "Recording", "Relation", "on_axis"]
