/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/cache.h>
#include <gpucache/experimental/experimental.h>

#include "cache/cache.h"
#include "level/rules/driver.h"
#include "level/rules/recorder.h"

/*
 * Access window set by a host: lines in the window can persist in L2. For a window of the configuration, see
 * level/access/window.c.
 */

static const char *wrong_field(const gpc_hierarchy *hierarchy, const gpc_access_window *window) {
    if (window->hit_ratio > 100)
        return "hit_ratio is not 0 to 100";
    if (window->hit >= GPC_PRIORITY_COUNT)
        return "hit is out of range";
    if (window->miss != GPC_EVICT_NORMAL && window->miss != GPC_EVICT_FIRST)
        return "miss is neither NORMAL nor FIRST";
    if (window->begin + window->bytes < window->begin)
        return "bytes goes beyond the last address";
    return gpci_process_wrong(hierarchy, window->process, window->begin, window->process ? window->bytes : 0);
}

gpc_status gpc_hierarchy_set_window(gpc_hierarchy *hierarchy, const gpc_access_window *window, gpc_error *error) {
    gpc_access_window access_window = GPC_ACCESS_WINDOW_INIT;
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_set_window: hierarchy is NULL");
    gpc_status status =
        gpci_take(&access_window, sizeof access_window, sizeof access_window, window, "gpc_access_window", error);
    if (status < 0)
        return status;
    const char *wrong = access_window.bytes ? wrong_field(hierarchy, &access_window) : NULL;
    if (wrong)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_access_window: %s", wrong);
    if (!hierarchy->l2)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_set_window: it needs l2.enabled = true and coherence = none or viper");
    if (access_window.bytes && access_window.hit == GPC_EVICT_LAST && access_window.hit_ratio &&
        hierarchy->l2[0]->options.last_ways == GPC_NO_LAST_WAYS)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_access_window: hit is LAST, but nothing persists: l2.persisting = 0B");
    if (!hierarchy->driver->idle(hierarchy))
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_set_window: accesses are in flight");
    hierarchy->window = (gpci_window){.begin = gpc_process_address(access_window.process, access_window.begin),
                                      .bytes = access_window.bytes,
                                      .hit_ratio = access_window.hit_ratio,
                                      .hit = access_window.hit,
                                      .miss = access_window.miss};
    GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_set_window"));
    return GPC_OK;
}

gpc_status gpc_hierarchy_reset_persisting(gpc_hierarchy *hierarchy, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_reset_persisting: hierarchy is NULL");
    if (!hierarchy->l2)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "gpc_hierarchy_reset_persisting: the hierarchy has no plain L2");
    for (uint32_t i = 0; i < hierarchy->slices; i++)
        gpci_cache_reset_last(hierarchy->l2[i]);
    GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_reset_persisting"));
    return GPC_OK;
}
