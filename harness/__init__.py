"""Running agents on compiled corpora in 200 ms ticks, and scoring what they did."""
