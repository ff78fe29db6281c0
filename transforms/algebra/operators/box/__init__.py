"""The box of a fact or a track at one time."""
