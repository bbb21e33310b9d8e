/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/window.h>

#include "cache/cache.h"
#include "level/rules/driver.h"
#include "level/rules/recorder.h"

/*
 * Access windows set by a host: lines that persist in L2. For windows of the configuration see level/access/window.c.
 */

static const char *wrong_field(const gpc_hierarchy *h, const gpc_access_window *w) {
    if (w->hit_ratio > 100)
        return "hit_ratio is not 0 to 100";
    if (w->hit >= GPC_PRIORITY_COUNT)
        return "hit is out of range";
    if (w->miss != GPC_EVICT_NORMAL && w->miss != GPC_EVICT_FIRST)
        return "miss is neither NORMAL nor FIRST";
    if (w->begin + w->bytes < w->begin)
        return "bytes goes beyond the last address";
    return gpci_process_wrong(h, w->process, w->begin, w->process ? w->bytes : 0);
}

gpc_status gpc_hierarchy_set_window(gpc_hierarchy *h, const gpc_access_window *window, gpc_error *error) {
    gpc_access_window w = GPC_ACCESS_WINDOW_INIT;
    if (!h)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_set_window: hierarchy is NULL");
    gpc_status status = gpci_take(&w, sizeof w, sizeof w, window, "gpc_access_window", error);
    if (status < 0)
        return status;
    const char *wrong = w.bytes ? wrong_field(h, &w) : NULL;
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_access_window: %s", wrong);
    if (!h->l2)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_set_window: it needs l2.enabled = true and coherence = none or viper");
    if (w.bytes && w.hit == GPC_EVICT_LAST && w.hit_ratio && h->l2[0]->options.last_ways == GPC_NO_LAST_WAYS)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_access_window: hit is LAST, but nothing persists: l2.persisting = 0B");
    if (!h->driver->idle(h))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_set_window: accesses are in flight");
    h->window = (gpci_window){.begin = gpc_process_address(w.process, w.begin),
                              .bytes = w.bytes,
                              .hit_ratio = w.hit_ratio,
                              .hit = w.hit,
                              .miss = w.miss};
    GPCI_RECORD(h, cannot, (h->recorder, "gpc_hierarchy_set_window"));
    return GPC_OK;
}

gpc_status gpc_hierarchy_reset_persisting(gpc_hierarchy *h) {
    if (!h)
        return GPC_ERROR_ARGUMENT;
    if (!h->l2)
        return GPC_ERROR_UNSUPPORTED;
    for (uint32_t i = 0; i < h->slices; i++)
        gpci_cache_reset_last(h->l2[i]);
    GPCI_RECORD(h, cannot, (h->recorder, "gpc_hierarchy_reset_persisting"));
    return GPC_OK;
}
