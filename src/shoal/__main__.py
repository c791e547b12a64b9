"""`python -m shoal`, where the command itself is not on the path."""

import sys

from shoal.cli import main

sys.exit(main())
