"""SimSurgSkill 2021: needle drivers, needle and skill metrics in a virtual exercise."""
