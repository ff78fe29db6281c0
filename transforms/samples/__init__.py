"""Write the samples of datasets: small made-up files in the layout of a release."""
