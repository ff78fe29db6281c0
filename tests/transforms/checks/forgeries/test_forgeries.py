"""One field changed and everything sealed again: ``check`` notices, or the list says why it cannot."""
