"""Questions about units, action clips and eight seconds: right by hand, wrong by code."""
