/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CACHE_CACHE_ARCHIVE_H
#define GPC_CACHE_CACHE_ARCHIVE_H

#include "base/archive.h"
#include "cache/cache.h"

/* A cache's part of a snapshot; loading, into one that was made from the same options. */
void gpci_cache_archive(gpc_cache *cache, gpci_archive *archive);
void gpci_tokens_archive(gpci_token_state *tokens, gpci_archive *archive);
/* False: the archive has failed, and names the policy. NULL can be. */
bool gpci_policy_can_be_saved(gpci_policy *policy, gpci_archive *archive);

#endif
