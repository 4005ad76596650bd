"""Results for people to read: tables for a terminal."""
