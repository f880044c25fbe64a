"""Instruments for developers of the project. None of them is part of the package."""
