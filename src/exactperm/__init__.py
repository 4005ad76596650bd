"""Exact paired-permutation tests: is system A better than system B?"""

__version__ = "0.1.0"
