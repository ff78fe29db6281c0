"""Active learning: choose frames for people to correct, store corrections as layers, record rounds.

Boxes that people confirmed, moved, added or deleted override a detector's boxes in the evidence,
and the detector is trained on them. The observed evidence itself is never changed. A round is one
set of frames that people review. A layer holds the corrections of one imported file. A sheet is the
list of frames and boxes in a tool's format. A sign is a measure, in [0, 1], of how unsure a
detector is of a frame.
"""
