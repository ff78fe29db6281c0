"""What models and rules see in a video: one folder each, every model behind an extra.

Nothing here knows Beam, templates or datasets.  A heavy library is imported inside the
function that needs it, so that a process without work for a model never loads it.
"""
