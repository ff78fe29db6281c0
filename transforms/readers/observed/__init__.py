"""User-supplied videos: the evidence store that 'surgqa observe' wrote."""
