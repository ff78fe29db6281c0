"""Active learning: choose frames for people to correct, store corrections as layers, record rounds.

Boxes that people confirmed, moved, added or deleted override a detector's boxes in the evidence,
and the detector is trained on them.  The observed evidence itself is never changed.
"""
