/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/kept_access.h"

#include "base/array.h"

#include <string.h>

gpc_status gpci_kept_reserve(gpci_timed *t) {
    const size_t had = t->kept_room;
    if (!GPCI_ARRAY_ROOM(t->context, t->kept, t->kept_room, 0, t->inflight_room))
        return GPC_ERROR_MEMORY;
    for (size_t i = had; i < t->kept_room; i++) { /* for example not of fences */
        memset(&t->kept[i].shape, 0, sizeof t->kept[i].shape);
        t->kept[i].out = NULL;
    }
    return GPC_OK;
}

static size_t bytes_of(const gpci_kept_access *kept) {
    return (size_t)kept->shape.count * kept->shape.width;
}

void gpci_kept_keep(gpci_timed *t, uint32_t inflight, const gpc_warp_access *w) {
    gpci_kept_access *kept = &t->kept[inflight];
    kept->shape.count = gpci_value_lanes(w);
    kept->shape.width = w->width;
    kept->shape.op = w->atomic;
    kept->shape.finds = w->kind == GPC_LOAD || (w->kind == GPC_ATOMIC && w->atomic);
    kept->shape.bytes = w->bytes != NULL;
    kept->shape.compare = w->compare != NULL;
    kept->out = w->out;
    memcpy(kept->addresses, w->addresses, kept->shape.count * sizeof *kept->addresses);
    if (kept->shape.finds)
        memset(kept->found, 0, bytes_of(kept));
}

void gpci_kept_done(gpci_timed *t, uint32_t inflight, gpc_completion *completion) {
    gpci_kept_access *kept = inflight < t->kept_room ? &t->kept[inflight] : NULL;
    if (!kept || !kept->shape.finds)
        return;
    completion->values = kept->found;
    completion->value_bytes = (uint32_t)bytes_of(kept);
    if (kept->out)
        memcpy(kept->out, kept->found, bytes_of(kept));
    kept->out = NULL;
    kept->shape.finds = false; /* the in-flight access's next user may be no warp access */
}

void gpci_kept_free(gpci_timed *t) {
    gpci_free(t->context, t->kept);
}

/* When loading: true if the access could have been accepted. */
static bool is_sound(const gpci_kept_access *kept) {
    const uint32_t widest = kept->shape.compare ? sizeof(uint64_t) : GPCI_MAX_LANE_BYTES;
    return kept->shape.count <= GPCI_MAX_LANES && kept->shape.width <= widest;
}

void gpci_kept_archive(gpci_timed *t, gpci_archive *a) {
    if (a->status == GPC_OK && gpci_kept_reserve(t) < 0) /* as gpci_coherent_values_archive */
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    for (uint32_t i = 0; i < t->inflight_fresh && a->status == GPC_OK; i++) {
        gpci_kept_access *kept = &t->kept[i];
        GPCI_ARCHIVE_FIELD(a, kept->shape);
        if (!is_sound(kept)) {
            kept->shape.count = 0;
            gpci_archive_fail(a, GPC_ERROR_FORMAT, "an access of more lanes than there are");
            return;
        }
        gpci_archive_bytes(a, kept->addresses, kept->shape.count * sizeof *kept->addresses);
        if (kept->shape.finds)
            gpci_archive_bytes(a, kept->found, bytes_of(kept));
    }
}
