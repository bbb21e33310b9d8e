/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/strands_internal.h"

#include "registry/kinds.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * Which policies threads may run at once: built-in ones, which keep what they know by cache or by SM. Those that share
 * it are run by one thread, but for those that change what they share only when they get a sample (votes, PCAL), for
 * samples are given between cycles. A host's own functions are called by the host's thread.
 */

static bool has_sample(gpc_policy_kind kind, const void *ops) {
    switch (kind) {
    case GPC_POLICY_REPLACEMENT:
        return ((const gpc_replacement_ops *)ops)->on_sample != NULL;
    case GPC_POLICY_PREDICTOR:
        return ((const gpc_predictor_ops *)ops)->on_sample != NULL;
    case GPC_POLICY_THROTTLE:
        return ((const gpc_throttle_ops *)ops)->sample != NULL;
    default:
        return false;
    }
}

/* Is this the name of a policy that one thread has to run? Its kind does not matter. */
static bool is_shared(const gpc_context *context, const char *name, size_t length, bool *hosts) {
    for (int kind = 0; kind < GPC_POLICY_PROTOCOL; kind++) {
        void *user_data;
        bool builtin;
        const void *ops = gpci_table_find(context, (gpc_policy_kind)kind, name, length, &user_data, &builtin);
        if (!ops)
            continue;
        *hosts = !builtin;
        if (!builtin ||
            (gpci_field_size(ops, gpci_kinds[kind].at.shared_bytes) && !has_sample((gpc_policy_kind)kind, ops)))
            return true;
    }
    return false;
}

/* All words of a key's text, for policies may name others. True: nothing forbids threads. */
static bool check_key(const gpci_timed *t, gpci_key key, const char *name, char text[GPCI_STRANDS_TEXT]) {
    const char *at = gpci_config_text(t->h->config, key);
    while (*at) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '-' || at[length] == '_')
            length++;
        bool hosts;
        if (length && is_shared(t->context, at, length, &hosts)) {
            snprintf(text, GPCI_STRANDS_TEXT, "%s: '%.*s' %s", name, (int)(length < 80 ? length : 80), at,
                     hosts ? "is the host's, whose functions are called on its own thread" : "is one for all caches");
            return false;
        }
        at += length ? length : 1;
    }
    return true;
}

void gpci_strands_check(const gpci_timed *t, bool *above, bool *below, char text[GPCI_STRANDS_TEXT]) {
    *text = '\0';
    *above = *below = false;
    if (t->h->coherent) {
        snprintf(text, GPCI_STRANDS_TEXT, "a tree of coherent modules is run by one thread");
        return;
    }
    if (t->h->with_data) {
        snprintf(text, GPCI_STRANDS_TEXT, "accesses carry values (coherence.data)");
        return;
    }
    *below = check_key(t, GPCI_KEY_L2_REPLACEMENT, "l2.replacement", text) &&
             check_key(t, GPCI_KEY_L2_BYPASS, "l2.bypass", text);
    if (*below && t->h->inclusive) {
        snprintf(text, GPCI_STRANDS_TEXT, "l2.inclusion: a slice takes lines from all L1s");
        *below = false;
    }
    *above = check_key(t, GPCI_KEY_L1_REPLACEMENT, "l1.replacement", text) &&
             check_key(t, GPCI_KEY_L1_BYPASS, "l1.bypass", text) && check_key(t, GPCI_KEY_SCHEDULER, "scheduler", text);
}
