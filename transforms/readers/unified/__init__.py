"""SurgCoT's unified JSON: speech, actions, tracks, anomalies and phases; one file per video."""
