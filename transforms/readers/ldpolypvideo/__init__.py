"""LDPolypVideo: polyps in colonoscopy, in frames with boxes and in long videos."""
