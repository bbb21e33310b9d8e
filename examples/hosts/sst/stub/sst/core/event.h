/* SPDX-License-Identifier: BSD-2-Clause */
#include "sst_stub.h"
