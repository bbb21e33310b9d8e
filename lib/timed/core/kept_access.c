/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/kept_access.h"

#include "base/array.h"

#include <string.h>

gpc_status gpci_kept_reserve(gpci_timed *timed) {
    const size_t had = timed->kept_capacity;
    if (!GPCI_ARRAY_RESERVE(timed->context, timed->kept, timed->kept_capacity, 0, timed->inflight_capacity))
        return GPC_ERROR_MEMORY;
    for (size_t i = had; i < timed->kept_capacity; i++) { /* clear: fences, for example, never set the fields */
        memset(&timed->kept[i].shape, 0, sizeof timed->kept[i].shape);
        timed->kept[i].out = NULL;
    }
    return GPC_OK;
}

static size_t bytes_of(const gpci_kept_access *kept) {
    return (size_t)kept->shape.count * kept->shape.width;
}

void gpci_kept_keep(gpci_timed *timed, uint32_t inflight, const gpc_warp_access *access) {
    gpci_kept_access *kept = &timed->kept[inflight];
    kept->shape.count = gpci_value_lanes(access);
    kept->shape.width = access->width;
    kept->shape.op = access->atomic;
    kept->shape.finds = access->kind == GPC_LOAD || (access->kind == GPC_ATOMIC && access->atomic);
    kept->shape.bytes = access->bytes != NULL;
    kept->shape.compare = access->compare != NULL;
    kept->out = access->out;
    memcpy(kept->addresses, access->addresses, kept->shape.count * sizeof *kept->addresses);
    if (kept->shape.finds)
        memset(kept->found, 0, bytes_of(kept));
}

void gpci_kept_done(gpci_timed *timed, uint32_t inflight, gpc_completion *completion) {
    gpci_kept_access *kept = inflight < timed->kept_capacity ? &timed->kept[inflight] : NULL;
    if (!kept || !kept->shape.finds)
        return;
    completion->values = kept->found;
    completion->value_bytes = (uint32_t)bytes_of(kept);
    if (kept->out)
        memcpy(kept->out, kept->found, bytes_of(kept));
    kept->out = NULL;
    kept->shape.finds = false; /* the in-flight access's next user may be no warp access */
}

void gpci_kept_free(gpci_timed *timed) {
    gpci_free(timed->context, timed->kept);
}

/* When loading: true if the access could have been accepted. */
static bool is_sound(const gpci_kept_access *kept) {
    const uint32_t widest = kept->shape.compare ? sizeof(uint64_t) : GPCI_MAX_LANE_BYTES;
    return kept->shape.count <= GPCI_MAX_LANES && kept->shape.width <= widest;
}

void gpci_kept_archive(gpci_timed *timed, gpci_archive *archive) {
    if (archive->status == GPC_OK && gpci_kept_reserve(timed) < 0) /* as gpci_coherent_values_archive */
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    for (uint32_t i = 0; i < timed->inflight_fresh && archive->status == GPC_OK; i++) {
        gpci_kept_access *kept = &timed->kept[i];
        GPCI_ARCHIVE_FIELD(archive, kept->shape);
        if (!is_sound(kept)) {
            kept->shape.count = 0;
            gpci_archive_fail(archive, GPC_ERROR_FORMAT, "an access of more lanes than there are");
            return;
        }
        gpci_archive_bytes(archive, kept->addresses, kept->shape.count * sizeof *kept->addresses);
        if (kept->shape.finds)
            gpci_archive_bytes(archive, kept->found, bytes_of(kept));
    }
}
