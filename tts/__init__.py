"""Speech: engines, voices, spoken-text normalisation, clip checks, the clip store, placement, stems and mixes."""
