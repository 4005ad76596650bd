"""The metrics: what is compared."""
