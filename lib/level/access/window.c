/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/config.h"
#include "level/rules/hierarchy.h"

#include <inttypes.h>
#include <string.h>

/*
 * Persistence in L2 (CUDA programming guide, "L2 Cache Control"): a part of L2 is reserved for persisting lines, and a
 * window of addresses selects these lines. The window sets the priority of a line, and the cache's replacement acts on
 * the priority.
 *
 * Example, an L2 of 40 MiB with 16 ways, l2.persisting = 30MiB: 12 ways of each set are reserved for lines of the
 * window. If more than 12 lines of the window belong to a set, the lines replace each other. A ratio of the window
 * (l2.window_ratio) below 100 can prevent this: only a part of the window's lines persists.
 */

static bool is_set(const gpc_hierarchy *hierarchy, gpci_key key) {
    gpc_key_info info = GPC_KEY_INFO_INIT;
    return gpc_key_at(key, &info, NULL) == GPC_OK &&
           strcmp(gpci_config_text(hierarchy->config, key), info.initial) != 0;
}

static bool has_l2(const gpc_hierarchy *hierarchy) {
    const bool plain = hierarchy->viper || !strcmp(gpci_config_text(hierarchy->config, GPCI_KEY_COHERENCE), "none");
    return plain && gpci_number(hierarchy, GPCI_KEY_L2_ENABLED);
}

/* Error text about a key of the window that has no effect; NULL: all keys have effects. */
static const char *idle_part(const gpc_hierarchy *hierarchy, const gpci_window *window) {
    if (window->hit == GPC_EVICT_LAST && !gpci_number(hierarchy, GPCI_KEY_L2_PERSISTING))
        return "l2.window_hit = persisting has no effect: l2.persisting is 0B";
    if (window->hit_ratio == 100 && is_set(hierarchy, GPCI_KEY_L2_WINDOW_MISS))
        return "l2.window_miss has no effect: l2.window_ratio is 100";
    if ((!window->hit || !window->hit_ratio) && (!window->miss || window->hit_ratio == 100))
        return "l2.window_bytes has no effect: all of its lines are normal";
    return NULL;
}

gpc_status gpci_set_aside(const gpc_hierarchy *hierarchy, uint32_t ways, uint32_t *out, gpc_error *error) {
    const uint64_t bytes = gpci_number(hierarchy, GPCI_KEY_L2_PERSISTING),
                   size = gpci_number(hierarchy, GPCI_KEY_L2_SIZE);
    *out = 0;
    if (bytes == UINT64_MAX)
        return GPC_OK;
    const uint64_t way = size / ways, aside = bytes / way; /* bytes of one way of all sets; ways to reserve */
    if (bytes && !aside)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l2.persisting = %" PRIu64 "B is less than a way of L2's sets: %" PRIu64 "B", bytes, way);
    if (aside >= ways)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l2.persisting = %" PRIu64 "B leaves no way of L2's sets to others: l2.size is %" PRIu64 "B",
                         bytes, size);
    *out = aside ? (uint32_t)aside : GPC_NO_LAST_WAYS;
    return GPC_OK;
}

gpc_status gpci_build_window(gpc_hierarchy *hierarchy, gpc_error *error) {
    const uint64_t bytes = gpci_number(hierarchy, GPCI_KEY_L2_WINDOW_BYTES);
    if (!has_l2(hierarchy) && (bytes || is_set(hierarchy, GPCI_KEY_L2_PERSISTING)))
        return gpci_fail(error, GPC_ERROR_RANGE, "%s needs l2.enabled = true and coherence = none or viper",
                         bytes ? "l2.window_bytes" : "l2.persisting");
    for (gpci_key key = GPCI_KEY_L2_WINDOW_BEGIN; !bytes && key <= GPCI_KEY_L2_WINDOW_MISS; key++)
        if (is_set(hierarchy, key))
            return gpci_fail(error, GPC_ERROR_RANGE, "%s has no effect: l2.window_bytes is 0B", gpci_key_name(key));
    hierarchy->window = (gpci_window){.begin = gpci_number(hierarchy, GPCI_KEY_L2_WINDOW_BEGIN),
                                      .bytes = bytes,
                                      .hit_ratio = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_WINDOW_RATIO),
                                      .hit = (uint8_t)gpci_number(hierarchy, GPCI_KEY_L2_WINDOW_HIT),
                                      .miss = (uint8_t)gpci_number(hierarchy, GPCI_KEY_L2_WINDOW_MISS)};
    const char *idle = bytes ? idle_part(hierarchy, &hierarchy->window) : NULL;
    return idle ? gpci_fail(error, GPC_ERROR_RANGE, "%s", idle) : GPC_OK;
}
