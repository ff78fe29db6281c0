"""The report a build leaves: one HTML file that opens without a network."""
