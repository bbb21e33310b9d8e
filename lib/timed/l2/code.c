/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

#include "base/check.h"
#include "cache/cache.h"

/* The part of a slice with kernels.code = l2: code missing in the home slice is filled without a fetch. */

static void looks(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt) {
    if (pkt->request.space != GPC_SPACE_INSTRUCTION)
        return;
    gpc_access_result got = {.way = GPCI_NO_WAY};
    gpc_line line = {.valid_sectors = 0};
    gpci_line_of(ctrl->cache, pkt->request.address, &line);
    const uint8_t lacks = pkt->request.sector_mask & (uint8_t)~line.valid_sectors;
    if (!lacks)
        return;
    const gpc_status status = gpci_fill_own(ctrl->cache, &pkt->request, lacks, &got);
    GPCI_AGAIN(ctrl->counts.no_victims_again += status == GPC_OK && got.outcome == GPC_NO_VICTIM);
    timed->failed = status < 0 ? status : timed->failed;
    if (got.evicted)
        gpci_ctrl_evicted(timed, ctrl, pkt, &got.eviction);
}

static gpc_status make(gpci_timed *timed, gpci_ctrl *slice, gpc_error *error) {
    (void)error;
    if (timed->hierarchy->code_in_l2)
        gpci_part_add(slice, GPCI_PART_CODE, &gpci_code_part, timed);
    return GPC_OK;
}

const gpci_part_class gpci_code_part = {.levels = GPCI_OF_SLICES, .make = make, .looks = looks};
