"""The parts of an installation: each module looks at a few."""
