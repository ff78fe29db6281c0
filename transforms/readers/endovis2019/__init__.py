"""EndoVis2019: the workflow and skill challenge of that year; its data are HeiChole."""
