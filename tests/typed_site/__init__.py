"""The files of a typical site, for strict type checkers. Nothing here is run."""
