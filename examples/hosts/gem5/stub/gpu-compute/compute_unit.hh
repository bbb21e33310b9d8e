/* SPDX-License-Identifier: BSD-2-Clause */
#include "gem5_stub.hh"
