"""Values like one value and certainly different."""
