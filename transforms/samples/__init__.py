"""Write samples: small synthetic datasets in the file layout of the real ones."""
