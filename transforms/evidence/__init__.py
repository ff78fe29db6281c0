"""What models and rules find in a video: one folder each, every model in an optional extra.

Nothing here imports Beam, templates or datasets.  A heavy library is imported inside the function
that needs it, so a process that runs no model never loads one.
"""
