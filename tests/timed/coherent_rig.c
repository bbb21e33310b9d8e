/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/coherent_rig.h"

#include "coherence/module/tree.h"
#include "measured.h"
#include "suited.h"
#include "timed/core/coherent.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

const char coherent_base[] = "sm.count = 2\nl1.sectors = 1\nl2.sectors = 1\nl1.write_policy = back\n"
                             "l1.write_policy_local = back\nl1.write_allocate = fetch\n"
                             "l1.write_allocate_local = fetch\nl2.inclusion = inclusive\nl2.interleave_bytes = 128\n"
                             "dram.model = fixed\ndram.fixed_latency = 100\n";

void coherent_open(rig *r, const char *protocol, const char *settings) {
    char text[4096];
    int n = snprintf(text, sizeof text, "%scoherence = %s\n%s", coherent_base, protocol, settings ? settings : "");
    cr_assert(n > 0 && (size_t)n < sizeof text);
    rig_open_dram(r, text);
    r->settings = settings ? settings : "";
}

void coherent_make(const char *settings, gpc_context **context, gpc_config **config, gpc_hierarchy **hierarchy) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(*context, config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(*config, rig_base, "base", &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(*config, coherent_base, "base", &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(*config, settings, "set", &error), GPC_OK, "%s", error.message);
    suit(*context, *config);
    cr_assert_eq(gpc_hierarchy_create(*context, *config, hierarchy, &error), GPC_OK, "%s", error.message);
}

void coherent_close(rig *r) {
    rig_finish(r);
    coherent_check_idle(r);
    rig_close(r);
}

void expect_cycles(rig *r, shot s, uint64_t cycles, int line) {
    uint64_t token = rig_issue(r, s);
    cr_assert_eq(gpc_hierarchy_advance(r->hierarchy, cycles - 1, NULL), GPC_OK);
    cr_expect_eq(r->done[token].times, 0, "line %d: done %u cycles early", line,
                 (unsigned)(cycles - (r->done[token].cycle - r->done[token].issued)));
    cr_assert_eq(gpc_hierarchy_advance(r->hierarchy, 1, NULL), GPC_OK);
    cr_expect_eq(r->done[token].times, 1, "line %d: not done after %u cycles", line, (unsigned)cycles);
    rig_finish(r);
    cr_expect_eq(r->done[token].cycle - r->done[token].issued, cycles, "line %d: %u cycles, not %u", line,
                 (unsigned)(r->done[token].cycle - r->done[token].issued), (unsigned)cycles);
}

static gpc_coherence *tree(const rig *r) {
    gpc_coherence *c = gpc_hierarchy_coherence(r->hierarchy);
    cr_assert_not_null(c);
    return c;
}

static uint32_t module_of(const rig *r, const char *name) {
    uint32_t module = gpc_coherence_module_index(tree(r), name);
    cr_assert_neq(module, GPC_NO_MODULE, "no module %s", name);
    return module;
}

gpc_coherence_state coherent_state(const rig *r, const char *name, uint64_t address) {
    uint32_t module = module_of(r, name), set, way;
    gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
    if (gpc_coherence_find(tree(r), module, address, &set, &way, NULL) != GPC_OK)
        return GPC_LINE_I;
    cr_assert_eq(gpc_coherence_get_block(tree(r), module, set, way, &block, NULL), GPC_OK);
    return (gpc_coherence_state)block.state;
}

measured_module coherent_stats(const rig *r, const char *name) {
    measured_module stats = {0};
    uint32_t module = name ? module_of(r, name) : GPC_NO_MODULE;
    cr_assert_eq(measure_module(tree(r), module, &stats), GPC_OK);
    return stats;
}

/* Bytes sent towards memory by modules of a kind, and received from there, by the tree's counts. */
static void add_bytes(const rig *r, const char *stem, uint32_t count, uint64_t *sent, uint64_t *received) {
    *sent = *received = 0;
    for (uint32_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "%s-%u", stem, i);
        measured_module s = coherent_stats(r, name);
        *sent += s.low_sent;
        *received += s.low_received;
    }
}

/* Between GPUs' slices and memories a message crosses one link: to memory, or between slices. */
static void check_gpu_links(const rig *r) {
    const gpci_timed *t = r->hierarchy->timed;
    const gpci_coherent *c = r->hierarchy->coherent;
    const gpci_network_stats links = gpci_network_get_stats(gpci_network_of(t, GPCI_GROUP_GPU_LINKS));
    const measured_stats s = rig_stats(r);
    uint64_t sent, received, answered = 0;
    cr_expect_eq(s.gpu_link_bytes, links.bytes, "%s", r->settings);
    cr_expect_eq(s.gpu_link_packets, links.packets, "%s", r->settings);
    if (c->parts > 1) { /* near halves of two GPUs and home halves; of three, near halves also send to one another */
        add_bytes(r, "near", c->modules - c->first_near, &sent, &received);
        cr_expect(c->gpus > 2 || links.bytes == sent + received, "%s", r->settings);
        return;
    }
    add_bytes(r, "l2", r->hierarchy->slices, &sent, &received);
    for (uint32_t i = 0; i < r->hierarchy->slices; i++) {
        char name[24];
        snprintf(name, sizeof name, "memory-%u", i);
        answered += coherent_stats(r, name).high_sent;
    }
    if (t->groups[GPCI_GROUP_MEMORY_REQUESTS].objects)
        cr_expect_eq(links.bytes + s.link_bytes, sent + answered, "%s", r->settings);
}

/* Traffic between partitions: near halves ask home halves of slices, and home halves answer. */
static uint64_t across(const rig *r) {
    const gpci_coherent *c = r->hierarchy->coherent;
    const gpci_timed *t = r->hierarchy->timed;
    if (!t->groups[GPCI_GROUP_PARTITION_REQUESTS].objects)
        return 0;
    uint64_t down = gpci_network_get_stats(gpci_network_of(t, GPCI_GROUP_PARTITION_REQUESTS)).bytes;
    uint64_t up = gpci_network_get_stats(gpci_network_of(t, GPCI_GROUP_PARTITION_REPLIES)).bytes;
    uint64_t sent, received;
    add_bytes(r, "near", c->modules - c->first_near, &sent, &received);
    cr_expect_eq(down, sent, "%s", r->settings);
    cr_expect_eq(up, received, "%s", r->settings);
    return down + up;
}

/* Slices ask over the link to memory, if present, and memory answers, by the tree's counts. */
static void check_link(const rig *r, uint64_t bytes) {
    const gpci_coherent *c = r->hierarchy->coherent;
    const gpci_timed *t = r->hierarchy->timed;
    bytes -= across(r);
    if (!t->groups[GPCI_GROUP_MEMORY_REQUESTS].objects) {
        cr_expect_eq(bytes, 0, "%s", r->settings);
        return;
    }
    uint64_t down = gpci_network_get_stats(gpci_network_of(t, GPCI_GROUP_MEMORY_REQUESTS)).bytes;
    uint64_t up = gpci_network_get_stats(gpci_network_of(t, GPCI_GROUP_MEMORY_REPLIES)).bytes;
    uint64_t sent, received;
    cr_expect_eq(bytes, down + up, "%s", r->settings);
    if (r->hierarchy->gpus > 1)
        return;
    add_bytes(r, "l2", c->l2 ? r->hierarchy->slices : 0, &sent, &received);
    cr_expect_eq(down, sent, "%s", r->settings);
    cr_expect_eq(up, received, "%s", r->settings);
}

/*
 * Arrivals over every network equal the tree's counts of sent messages: no loss, and the counters of the caches'
 * networks explain every byte.
 */
static void check_bytes(const rig *r) {
    const gpci_coherent *c = r->hierarchy->coherent;
    measured_module all = coherent_stats(r, NULL);
    measured_stats s = rig_stats(r);
    uint64_t sent, received;
    add_bytes(r, "l1", c->sms, &sent, &received);
    cr_expect_eq(s.network_request_bytes, sent, "%s", r->settings);
    cr_expect_eq(s.network_reply_bytes, received, "%s", r->settings);
    add_bytes(r, "cluster", c->clusters, &sent, &received);
    cr_expect_eq(s.cluster_network_request_bytes, sent, "%s", r->settings);
    cr_expect_eq(s.cluster_network_reply_bytes, received, "%s", r->settings);
    check_link(r, s.link_bytes);
    if (r->hierarchy->gpus > 1)
        check_gpu_links(r);
    cr_expect_eq(all.low_sent + all.high_sent, all.low_received + all.high_received, "%s", r->settings);
    cr_expect_eq(s.cluster_network_requests > 0, c->clusters && s.cluster_network_request_bytes, "%s", r->settings);
}

void coherent_check_idle(rig *r) {
    const gpci_timed *t = r->hierarchy->timed;
    const gpci_engine *e = gpci_engine_of(t);
    cr_expect_eq(e->inflights.used, 0);
    cr_expect_eq(e->tasks.used, 0);
    cr_expect_eq(e->waiters.used, 0);
    cr_expect_eq(e->calendar.later_count + e->calendar.today_count, 0);
    for (uint32_t i = 0; i < e->tree->module_count; i++)
        for (uint32_t bucket = 0; bucket <= e->units[i].lock_mask; bucket++)
            cr_expect_eq(e->units[i].locks[bucket], 0);
    cr_expect_eq(e->locks.used, 1); /* entry 0, the list of free controllers */
    cr_expect_eq(t->pool.live, 0);
    for (uint32_t i = 0; i < r->hierarchy->slices; i++) {
        cr_expect_eq(t->l2[i].mshr.used[0], 0);
        cr_expect_eq(t->l2[i].returned.count, 0);
        cr_expect_eq(t->l2[i].tag_access[0].reason, GPC_BUSY_NOT);
    }
    for (unsigned kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; i < t->groups[kind].objects; i++)
            cr_expect(gpci_holds_nothing(&t->groups[kind], i), "%s", gpci_group_name((gpci_group_kind)kind));
    check_bytes(r);
}

static void same_block(const gpc_coherence *a, const gpc_coherence *b, uint32_t module, uint32_t set, uint32_t way,
                       const char *what) {
    gpc_coherence_block x = GPC_COHERENCE_BLOCK_INIT, y = GPC_COHERENCE_BLOCK_INIT;
    gpc_status status = gpc_coherence_get_block(a, module, set, way, &x, NULL);
    cr_assert_eq(gpc_coherence_get_block(b, module, set, way, &y, NULL), status, "%s", what);
    cr_expect(x.tag == y.tag && x.state == y.state && x.recency == y.recency,
              "%s: module %u set %u way %u: %c of 0x%llx, %c of 0x%llx", what, module, set, way, "NMOESI"[x.state],
              (unsigned long long)x.tag, "NMOESI"[y.state], (unsigned long long)y.tag);
    for (uint32_t sub = 0; status == GPC_OK && sub < x.sub_blocks; sub++) {
        uint32_t owners[2], sharers[2][64];
        size_t counts[2];
        cr_assert_eq(
            gpc_coherence_get_directory(a, module, set, way, sub, &owners[0], sharers[0], 64, &counts[0], NULL), 0);
        cr_assert_eq(
            gpc_coherence_get_directory(b, module, set, way, sub, &owners[1], sharers[1], 64, &counts[1], NULL), 0);
        cr_expect(owners[0] == owners[1] && counts[0] == counts[1] &&
                      !memcmp(sharers[0], sharers[1], counts[0] * sizeof **sharers),
                  "%s: module %u set %u way %u: another directory", what, module, set, way);
    }
}

void coherent_same(const gpc_coherence *a, const gpc_coherence *b, const char *what) {
    gpc_coherence_module m;
    for (uint32_t i = 0; i < a->module_count; i++) {
        m = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
        cr_assert_eq(gpc_coherence_get_module(a, i, &m, NULL), GPC_OK);
        for (uint32_t set = 0; m.ways && set < m.sets; set++)
            for (uint32_t way = 0; way < m.ways + m.directory_ways; way++)
                same_block(a, b, i, set, way, what);
        measured_module x = {0}, y = {0};
        measure_module(a, i, &x);
        measure_module(b, i, &y);
        cr_expect(!memcmp(x.transitions, y.transitions, sizeof x.transitions), "%s: transitions of %s", what, m.name);
        cr_expect(!memcmp(x.origins, y.origins, sizeof x.origins), "%s: origins of %s", what, m.name);
        cr_expect(x.loads == y.loads && x.stores == y.stores && x.n_stores == y.n_stores && x.load_hits == y.load_hits,
                  "%s: accesses of %s", what, m.name);
        cr_expect(x.read_requests == y.read_requests && x.write_requests == y.write_requests &&
                      x.write_backs_received == y.write_backs_received,
                  "%s: requests to %s", what, m.name);
    }
}
