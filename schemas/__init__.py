"""The spec language: models of sources and of compiled records, loading with positions, diagnostics, JSON Schemas."""
