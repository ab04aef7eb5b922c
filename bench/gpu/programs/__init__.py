"""Programs on real libraries, with the truth about what holds their steps and what changes gain."""
