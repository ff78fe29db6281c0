"""Colonoscopic-web: gastrointestinal lesions in white light and narrow-band imaging."""
