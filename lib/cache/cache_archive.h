/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_CACHE_ARCHIVE_H
#define GPC_CACHE_CACHE_ARCHIVE_H

#include "base/archive.h"
#include "cache/cache.h"

/* Save or load a cache, or the tokens of a cache, in a snapshot. To load, create a cache from the same options. */
void gpci_cache_archive(gpc_cache *cache, gpci_archive *archive);
void gpci_tokens_archive(gpci_token_state *tokens, gpci_archive *archive);
/*
 * True if the policy is NULL, or names its state. False: the archive has failed, with an error that names the policy.
 */
bool gpci_policy_can_be_saved(gpci_policy *policy, gpci_archive *archive);

#endif
