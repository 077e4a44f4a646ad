"""`python -m retrieval.cli`, for where the command is not on the path."""

import sys

from retrieval.cli import main

sys.exit(main())
