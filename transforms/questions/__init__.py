"""Ask templates about the evidence: fillings, answers, distractors and texts."""
