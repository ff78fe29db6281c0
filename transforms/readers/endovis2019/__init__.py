"""EndoVis2019, read as the workflow and skill challenge of that year: HeiChole."""
