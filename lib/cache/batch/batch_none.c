/* SPDX-License-Identifier: BSD-2-Clause */
#define GPCI_BATCH_NAME gpci_batch_none
#define GPCI_BATCH_PORTABLE
#include "cache/batch/batch_loop.h"
