"""Facts: everything that is known about some videos, as one table (relation) with NumPy columns.

A fact is something that holds for some time: an instrument in view, an action, a phase, a finding.
Its start and its end are ranges, because labels do not give them more exactly. The relation also
has *gaps* (class ``HoleTable``): stretches that nobody annotated, or not closely enough. Outside
gaps, a fact that is not listed is absent. Inside gaps, its presence is unknown.

Times of several videos lie on one axis (:data:`SHIFT`), so that one search covers all of them.
"""

from surgqa.transforms.timeline.relation.table import FAR, NONE, SHIFT, Recording, Relation, on_axis

__all__ = ["FAR", "NONE", "SHIFT", "Recording", "Relation", "on_axis"]
