"""Where a run can be carried out: Beam runners with the options that suit this graph."""
