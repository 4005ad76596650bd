"""The engines, one algorithm a file."""
