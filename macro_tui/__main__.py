import sys

from macro_tui.cli import main

sys.exit(main())
