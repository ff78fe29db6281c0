"""The statement whose condition is true; the other statements are the distractors."""
