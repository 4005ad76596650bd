"""What can be concluded from several results: corrections for multiplicity."""
