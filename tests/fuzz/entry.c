/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"

/* Entry of libFuzzer. GPC_FUZZ_TARGET is a function of fuzz.h. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    GPC_FUZZ_TARGET(data, size);
    return 0;
}
