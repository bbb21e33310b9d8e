# SPDX-License-Identifier: BSD-2-Clause
import sys

from gpucache.cli import main

sys.exit(main())
