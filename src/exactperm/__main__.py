"""``python -m exactperm``: the command line."""

from exactperm.cli import main

if __name__ == "__main__":
    main()
