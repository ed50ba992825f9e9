"""One module a family of lint rules."""
