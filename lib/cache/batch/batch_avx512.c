/* SPDX-License-Identifier: BSD-2-Clause */
#define GPCI_BATCH_NAME gpci_batch_avx512
#include "cache/batch/batch_loop.h"
