"""Run the command line as `python -m research_eval`."""

from research_eval.cli.main import main

if __name__ == "__main__":
    main()
