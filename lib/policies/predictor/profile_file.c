/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/profile_file.h"

#include <stdio.h>
#include <string.h>

const gpc_text_parameter gpci_profile_texts[GPCI_PROFILE_TEXTS] = {
    GPCI_PROFILE_TEXT_ROWS,
};

static gpc_status refuse(gpci_profile_share *share, char *message, const char *format, unsigned has, unsigned wants) {
    snprintf(message, GPCI_PROFILE_MESSAGE, format, has, wants);
    gpci_profile_left(share);
    return GPC_ERROR_ARGUMENT;
}

static gpc_status load(gpci_profile_share *share, const gpc_policy_env *env, char *message) {
    gpc_error error = GPC_ERROR_INIT;
    if (!env->texts[0][0]) {
        snprintf(message, GPCI_PROFILE_MESSAGE, "parameter 'file' must name a profile");
        return GPC_ERROR_ARGUMENT;
    }
    gpc_status status =
        gpc_profile_load(env->context, &(gpc_stream)GPC_STREAM_FILE(env->texts[0]), &share->profile, &error);
    if (status < 0) {
        /* keep a long message's end; the start is only a path */
        size_t length = strlen(error.message), most = GPCI_PROFILE_MESSAGE - 1;
        snprintf(message, GPCI_PROFILE_MESSAGE, "%s", error.message + (length > most ? length - most : 0));
    }
    return status;
}

gpc_status gpci_profile_take(const gpc_policy_env *env, uint32_t line_bytes, char *message, gpc_profile **out) {
    gpci_profile_share *share = env->shared_state;
    gpc_status status = share->profile ? GPC_OK : load(share, env, message);
    if (status < 0)
        return status;
    share->users++;
    gpc_profile_summary summary = GPC_PROFILE_SUMMARY_INIT;
    status = gpc_profile_get_summary(share->profile, &summary, NULL);
    if (status < 0) {
        gpci_profile_left(share);
        return status;
    }
    if (line_bytes && summary.line_bytes != line_bytes)
        return refuse(share, message, "the profile is of lines of %u bytes, the cache's have %u", summary.line_bytes,
                      line_bytes);
    if (line_bytes && env->index >= summary.sms)
        return refuse(share, message, "the profile is of %u SMs, this cache is number %u", summary.sms, env->index);
    *out = share->profile;
    return GPC_OK;
}

static void drop(gpci_profile_share *share) {
    gpc_profile_destroy(share->profile);
    share->profile = NULL;
}

void gpci_profile_taken(const gpc_policy_env *env) {
    gpci_profile_share *share = env->shared_state;
    if (++share->made % env->count == 0)
        drop(share);
}

void gpci_profile_left(gpci_profile_share *share) {
    if (!--share->users)
        drop(share);
}
