/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"

#include <gpucache/experimental/experimental.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/observe.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <string.h>

/* Structs with an _INIT macro. */
#define WITH_MACRO(X)                                          \
    X(gpc_access_batch, GPC_ACCESS_BATCH_INIT)                 \
    X(gpc_access_window, GPC_ACCESS_WINDOW_INIT)               \
    X(gpc_batch, GPC_BATCH_INIT)                               \
    X(gpc_cache_options, GPC_CACHE_OPTIONS_INIT)               \
    X(gpc_coherence_block, GPC_COHERENCE_BLOCK_INIT)           \
    X(gpc_coherence_callbacks, GPC_COHERENCE_CALLBACKS_INIT)   \
    X(gpc_coherence_choice, GPC_COHERENCE_CHOICE_INIT)         \
    X(gpc_coherence_module, GPC_COHERENCE_MODULE_INIT)         \
    X(gpc_coherence_network, GPC_COHERENCE_NETWORK_INIT)       \
    X(gpc_coherence_options, GPC_COHERENCE_OPTIONS_INIT)       \
    X(gpc_coherence_request, GPC_COHERENCE_REQUEST_INIT)       \
    X(gpc_coherence_result, GPC_COHERENCE_RESULT_INIT)         \
    X(gpc_context_options, GPC_CONTEXT_OPTIONS_INIT)           \
    X(gpc_counter_info, GPC_COUNTER_INFO_INIT)                 \
    X(gpc_error, GPC_ERROR_INIT)                               \
    X(gpc_estimate, GPC_ESTIMATE_INIT)                         \
    X(gpc_event_options, GPC_EVENT_OPTIONS_INIT)               \
    X(gpc_fence, GPC_FENCE_INIT)                               \
    X(gpc_hierarchy_callbacks, GPC_HIERARCHY_CALLBACKS_INIT)   \
    X(gpc_kernel, GPC_KERNEL_INIT)                             \
    X(gpc_kernel_options, GPC_KERNEL_OPTIONS_INIT)             \
    X(gpc_key_info, GPC_KEY_INFO_INIT)                         \
    X(gpc_launch, GPC_LAUNCH_INIT)                             \
    X(gpc_load_options, GPC_LOAD_OPTIONS_INIT)                 \
    X(gpc_location, GPC_LOCATION_INIT)                         \
    X(gpc_note, GPC_NOTE_INIT)                                 \
    X(gpc_ordering, GPC_ORDERING_INIT)                         \
    X(gpc_policy_counter, GPC_POLICY_COUNTER_INIT)             \
    X(gpc_policy_info, GPC_POLICY_INFO_INIT)                   \
    X(gpc_policy_value, GPC_POLICY_VALUE_INIT)                 \
    X(gpc_port_request, GPC_PORT_REQUEST_INIT)                 \
    X(gpc_port_stats, GPC_PORT_STATS_INIT)                     \
    X(gpc_predictor_options, GPC_PREDICTOR_OPTIONS_INIT)       \
    X(gpc_profile_save_options, GPC_PROFILE_SAVE_OPTIONS_INIT) \
    X(gpc_profile_summary, GPC_PROFILE_SUMMARY_INIT)           \
    X(gpc_recording, GPC_RECORDING_INIT)                       \
    X(gpc_replacement_options, GPC_REPLACEMENT_OPTIONS_INIT)   \
    X(gpc_replay_stream, GPC_REPLAY_STREAM_INIT)               \
    X(gpc_sample, GPC_SAMPLE_INIT)                             \
    X(gpc_sampling, GPC_SAMPLING_INIT)                         \
    X(gpc_scheduler_options, GPC_SCHEDULER_OPTIONS_INIT)       \
    X(gpc_shape, GPC_SHAPE_INIT)                               \
    X(gpc_stream, GPC_STREAM_INIT)                             \
    X(gpc_throttle_classes, GPC_THROTTLE_CLASSES_INIT)         \
    X(gpc_throttle_options, GPC_THROTTLE_OPTIONS_INIT)         \
    X(gpc_trace_accesses, GPC_TRACE_ACCESSES_INIT)             \
    X(gpc_verify_options, GPC_VERIFY_OPTIONS_INIT)             \
    X(gpc_verify_report, GPC_VERIFY_REPORT_INIT)               \
    X(gpc_verify_step, GPC_VERIFY_STEP_INIT)                   \
    X(gpc_warp_access, GPC_WARP_ACCESS_INIT)                   \
    X(gpc_warp_result, GPC_WARP_RESULT_INIT)

/* Structs without an _INIT macro: all fields except struct_size begin as 0. */
#define SIZED(X)                \
    X(gpc_coherence_completion) \
    X(gpc_kernel_result)        \
    X(gpc_policy_env)           \
    X(gpc_predictor_ops)        \
    X(gpc_prefetcher_ops)       \
    X(gpc_progress)             \
    X(gpc_protocol)             \
    X(gpc_replacement_ops)      \
    X(gpc_scheduler_env)        \
    X(gpc_scheduler_ops)        \
    X(gpc_throttle_ops)         \
    X(gpc_throttle_view)

/*
 * Records of a fixed size, without struct_size. Records that only the library passes to callbacks are not in the list.
 */
#define PLAIN(X)               \
    X(gpc_access_result)       \
    X(gpc_atomic)              \
    X(gpc_block)               \
    X(gpc_cache_event)         \
    X(gpc_eviction)            \
    X(gpc_instruction)         \
    X(gpc_line)                \
    X(gpc_parameter)           \
    X(gpc_prediction)          \
    X(gpc_prefetch)            \
    X(gpc_profile_class)       \
    X(gpc_profile_counts)      \
    X(gpc_profile_instruction) \
    X(gpc_profile_line)        \
    X(gpc_profile_point)       \
    X(gpc_profile_sm)          \
    X(gpc_protocol_event)      \
    X(gpc_protocol_raise)      \
    X(gpc_protocol_rule)       \
    X(gpc_protocol_state)      \
    X(gpc_request)             \
    X(gpc_request_policy)      \
    X(gpc_policy_event)        \
    X(gpc_text_parameter)      \
    X(gpc_turn)                \
    X(gpc_warp)                \
    X(gpc_warp_event)

#define X(type, macro) static const type initial_##type = macro;
WITH_MACRO(X)
#undef X

/* A struct by name. `initial` NULL: all bytes begin as 0. `sized`: the first field is struct_size. */
typedef struct known_struct {
    const char *name;
    const void *initial;
    size_t size;
    bool sized;
} known_struct;

static const known_struct known_structs[] = {
#define X(type, macro) {#type, &initial_##type, sizeof(type), true},
    WITH_MACRO(X)
#undef X
#define X(type) {#type, NULL, sizeof(type), true},
        SIZED(X)
#undef X
#define X(type) {#type, NULL, sizeof(type), false},
            PLAIN(X)
#undef X
};

static const known_struct *find(const char *name) {
    for (size_t i = 0; i < sizeof known_structs / sizeof *known_structs; i++)
        if (!strcmp(known_structs[i].name, name))
            return &known_structs[i];
    return NULL;
}

static gpc_status check_size(const known_struct *known, size_t size, gpc_error *error) {
    if (!known->sized && size != known->size)
        return gpci_fail(error, GPC_ERROR_ABI, "%s has %zu bytes, not %zu", known->name, known->size, size);
    if (known->sized && size <= sizeof size)
        return gpci_fail(error, GPC_ERROR_ABI, "%s has more than %zu bytes", known->name, size);
    /* A struct that begins as zeros may be larger: the further bytes are zeros, too. */
    if (known->initial && size > known->size + GPC_STRUCT_GROWTH)
        return gpci_fail(error, GPC_ERROR_ABI, "%s has %zu bytes, no version has more than %zu", known->name, size,
                         known->size + GPC_STRUCT_GROWTH);
    return GPC_OK;
}

gpc_status gpc_struct_init(const char *name, size_t size, void *out, gpc_error *error) {
    if (!name || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s is NULL", name ? "out" : "name");
    const known_struct *known = find(name);
    if (!known)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "there is no struct '%s' that a caller fills in", name);
    gpc_status status = check_size(known, size, error);
    if (status)
        return status;
    memset(out, 0, size);
    if (known->initial)
        memcpy(out, known->initial, size < known->size ? size : known->size);
    if (known->sized)
        memcpy(out, &size, sizeof size);
    return GPC_OK;
}
