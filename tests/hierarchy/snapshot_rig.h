/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_HIERARCHY_SNAPSHOT_RIG_H
#define TESTS_HIERARCHY_SNAPSHOT_RIG_H

#include <gpucache/ext/coherence.h>
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

/* Hierarchies saved, and continued from the loaded copy. */

typedef struct snapshot_bytes {
    uint8_t *data;
    size_t size, at;
} snapshot_bytes;

gpc_status snapshot_write_bytes(void *user_data, const void *data, size_t size);
gpc_status snapshot_read_bytes(void *user_data, void *data, size_t size, size_t *out_read);

/* A host of one hierarchy: position in a stream of accesses, and results. */
typedef struct snapshot_host {
    gpc_hierarchy *hierarchy;
    uint64_t random, tokens, trail;
    bool clock;
} snapshot_host;

extern gpc_context *snapshot_context;
/* Register policies "witness" for L1s and "witness-below" for L2, which show every call in later decisions. */
void snapshot_register_witnesses(gpc_context *context);
/* Number saved with a clock; with accesses in flight. */
extern unsigned snapshot_saved, snapshot_saved_in_flight;

uint32_t snapshot_below(snapshot_host *at, uint32_t bound);
void snapshot_on_complete(void *user_data, const gpc_completion *completion);
void snapshot_attach(snapshot_host *at);
gpc_status snapshot_make(const char *settings, bool clock, snapshot_host *at, gpc_error *error);
void snapshot_access_one(snapshot_host *at);
void snapshot_drive(snapshot_host *at, unsigned steps);
void snapshot_finish(snapshot_host *at);
/* Expect that two snapshots are equal; two hosts. */
void snapshot_expect_equal(const snapshot_bytes *a, const snapshot_bytes *b, const char *settings);
void snapshot_expect_same(const snapshot_host *a, const snapshot_host *b, const char *what);
void snapshot_expect_same_bytes(const snapshot_host *a, const snapshot_host *b, const char *what);

snapshot_bytes snapshot_save(const snapshot_host *at);
/* Changed or missing bytes are refused, with the offset. */
void snapshot_check_damaged(snapshot_host *dice, const snapshot_bytes *file);
snapshot_host snapshot_load(const snapshot_host *as, snapshot_bytes *bytes);
/* Some accesses, a snapshot, more of both in the two; false if such a hierarchy is impossible. */
bool snapshot_check(const char *settings, bool clock);

#endif
