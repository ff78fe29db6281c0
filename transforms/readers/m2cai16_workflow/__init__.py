"""M2CAI16-Workflow: the phase of every frame, 41 cholecystectomies from two hospitals."""
