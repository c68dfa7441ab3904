"""The command `parallax`, and ``python -m mha``."""

from mha.server.command_line import main

if __name__ == "__main__":
    main()
