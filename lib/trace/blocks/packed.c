/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/packed.h"

const uint64_t gpci_packed_addresses[GPCI_MOST_LANES];

static void step_on(uint64_t first, uint64_t step, unsigned lanes, uint64_t *addresses) {
    for (unsigned i = 0; i < lanes; i++)
        addresses[i] = first + i * step;
}

static void lay_out(const uint8_t *list, unsigned width, uint64_t first, unsigned lanes, uint64_t *addresses) {
    unsigned unused = 64 - 8 * width;
    uint64_t sign = UINT64_C(1) << 63 >> unused;
    addresses[0] = first;
    for (unsigned i = 1; i < lanes; i++, list += width) {
        uint64_t distance = gpci_load64(list) << unused >> unused;
        addresses[i] = first + ((distance ^ sign) - sign);
    }
}

void gpci_packed_take(gpci_address_cursor *cursor, unsigned lanes, uint64_t *addresses) {
    if (!lanes)
        return;
    const uint8_t *at = cursor->at;
    unsigned head = *at++, bytes = head & 15;
    uint64_t first = cursor->first += gpci_unzigzag(gpci_packed_load(at, bytes));
    at += bytes;
    switch (head >> 4) {
    case GPCI_PACK_STRIDE_0:
        step_on(first, 0, lanes, addresses);
        break;
    case GPCI_PACK_STRIDE_4:
        step_on(first, 4, lanes, addresses);
        break;
    case GPCI_PACK_STRIDE_8:
        step_on(first, 8, lanes, addresses);
        break;
    case GPCI_PACK_STRIDE:
        step_on(first, gpci_load64(at), lanes, addresses);
        at += 8;
        break;
    case GPCI_PACK_LIST:
        cursor->width = *at++;
        cursor->list = at;
        at += (size_t)cursor->width * (lanes - 1);
        lay_out(cursor->list, cursor->width, first, lanes, addresses);
        break;
    default:
        lay_out(cursor->list, cursor->width, first, lanes, addresses);
        break;
    }
    cursor->at = at;
}
