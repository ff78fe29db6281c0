"""HeiChole: phases, instruments, actions and skill of 24 cholecystectomies."""
