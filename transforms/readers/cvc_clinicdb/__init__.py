"""CVC-ClinicDB: stills of colonoscopy with a mask of their polyps."""
