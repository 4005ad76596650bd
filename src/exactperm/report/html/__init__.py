"""A comparison as one HTML file: it needs no network, works without JavaScript, and prints."""
