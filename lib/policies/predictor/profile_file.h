/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_PREDICTOR_PROFILE_FILE_H
#define GPC_POLICIES_PREDICTOR_PROFILE_FILE_H

#include "base/base.h"
#include "policies/predictor/predictors.h"
#include "profile/profile.h"

/*
 * Profile for the predictors of a level: read once for all caches, and freed after the last cache has taken its part.
 * This struct is the predictors' shared state; `file` is their first text parameter. The second text parameter, `use`,
 * selects how U, the used share of a line, is counted. Eq. (1) counts bytes: a load of 4 bytes uses a 32nd of a line. A
 * bypass really moves segments of 32 bytes: for this load a quarter of the line.
 */
typedef struct gpci_profile_share {
    gpc_profile *profile;
    /* made: number of caches that have copied their part. users: number of caches not yet destroyed. */
    uint32_t made, users;
} gpci_profile_share;

#define GPCI_PROFILE_MESSAGE 256u /* bytes of `message` */

enum { GPCI_PROFILE_FILE, GPCI_PROFILE_USE, GPCI_PROFILE_TEXTS }; /* text parameters */
enum { GPCI_USE_BYTES, GPCI_USE_SEGMENTS };                       /* words of the second text parameter */

#define GPCI_PROFILE_TEXT_ROWS                                                                                       \
    {"file", "", NULL, "a profile, as gpc_profile_save or `gpucache profile` writes it"}, {                          \
        "use", "bytes", "bytes|segments", "what U counts of a line: bytes used (Eq. 1), or 32-byte segments touched" \
    }

extern const gpc_text_parameter gpci_profile_texts[GPCI_PROFILE_TEXTS];

/*
 * Get the profile, in `init`. After each success call gpci_profile_taken (the cache's part has been copied) or
 * gpci_profile_left (copying failed). After gpci_profile_taken, `finish` must call gpci_profile_left.
 *   line_bytes  required line size of the profile; 0 = any
 * Fails as gpc_profile_load; GPC_ERROR_ARGUMENT (no file, other lines, or fewer SMs). `message`: 256 bytes.
 */
gpc_status gpci_profile_take(const gpc_policy_env *env, uint32_t line_bytes, char *message, gpc_profile **out);
void gpci_profile_taken(const gpc_policy_env *env);
void gpci_profile_left(gpci_profile_share *share);

#endif
