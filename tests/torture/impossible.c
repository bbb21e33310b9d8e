/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <string.h>

/*
 * Pairs of features that no configuration can have. A rule is a part of the library's refusal, and the features on the
 * two sides. A refused pair without a rule is a failure: either the drawing does not find what the pair needs, or the
 * refusal has no clear reason.
 */

/* Features that only a tree of coherent modules has. */
#define TREE "coherence= coherence. cluster. gpu. cpu. l1.atomics sm.lsu"

/* Protocols without a directory, and features that only these protocols have. */
#define PLAIN "coherence=vi coherence=hmg coherence=slc-glc l1.atomics"

/* Protocols with a directory, and features that only these protocols have. */
#define TRACKED                                                                                                        \
    "coherence=msi coherence=mesi coherence=mesif coherence=mosi coherence=moesi coherence=nmoesi coherence=nmoesi-d " \
    "coherence=nmoesi-multi2sim coherence.directory_ coherence.memory_ cluster.inclusion"

typedef struct rule {
    const char *reason; /* part of the refusal */
    const char *a, *b;  /* features of the two sides: `key`, `key=value`; `key.` and `key=` fit all that begin so */
} rule;

static const rule rules[] = {
    {"trees refuse bulk copies", TREE, "sm.bulk_"},
    {"coherent L1s send at once", TREE, "l1.miss_latency l1.bypass_latency l1.combine_"},
    {"coherent L1s serve at once", TREE, "l1.release_ l1.mshr_free"},
    {"before coherent L1s there is one queue", TREE, "l1.collectors"},
    {"its messages bring whole blocks", TREE, "l1.bypass_fetch network.write_mask"},
    {"a tree begins with L1s", TREE, "l1.enabled"},
    {"coherent modules count all that wait for a block", TREE, "l1.mshr_merged l2.mshr_merged"},
    {"fetch nothing ahead", TREE, "l1.prefetch l2.prefetch"},
    {"coherent L1s have one queue of messages", TREE, "l1.bypass_queue"},
    {"its L1s have nothing to drop at a fence", TRACKED, "l1.invalidate_rate"},
    {"it has no directory", TRACKED, "l1.invalidate_rate"},
    {"a tree knows no", TREE, "l15. const. kernels.code"},
    {"l2.window_bytes needs l2.enabled = true and coherence = none or viper", TREE " l2.enabled", "l2.window_"},
    {"l2.persisting needs l2.enabled = true and coherence = none or viper", TREE " l2.enabled", "l2.persisting"},
    {"modules of a tree are interleaved by modulo or by one hash", TREE, "address. dram.group_bits"},
    {"messages have no queue of requests to wait for", TREE, "l2.intake"},
    {"a block's lock alone orders requests", TREE, "l2.write_to_read l1.bypass_mshrs"},
    {"modules XOR all bits", TREE, "l1.index_bits"},
    {"l1.index_bits needs l1.index = xor", "l1.index_bits", "l1.index"},
    {"learns from the replies of MSHR entries", "l1.bypass_mshrs", "l1.bypass="},
    {"l1.bypass_mshrs = false needs l1.bypass_fetch = segments", "l1.bypass_mshrs", "l1.bypass_fetch"},
    {"coherent slices have the ports of l2.tag_ports alone", TREE, "l2.banks"},
    {"a coherent L2 writes back", TREE, "l2.write_policy"},
    {"messages wait for data", TREE, "dram.latency_at"},
    {"needs coherence = none or viper: messages of a tree name no stream", TREE, "streams"},
    {"needs mode = timed, and coherence = none or viper", TREE " coherence.data l1.future", "ports port."},
    {"needs l1.combine_lines above 0, mode = timed, and coherence = none or viper", TREE " l1.future",
     "l1.combine_stores"},
    {"a cluster's cache is where requests would merge", "cluster.", "lrc."},
    {"needs gpu.count = 1, or coherence = PROTOCOL", "gpu.count", "coherence.data ports port. kernels.copies"},
    {"each GPU has a memory of its own", "coherence=viper", "gpu. page."},
    {"needs mode = timed and coherence = PROTOCOL", "coherence=viper l1.future", "sm.lsu"},
    {"each GPU has an L2 of its own", "gpu. cpu.", "l2.enabled"},
    {"needs coherence.data = false: prefetches carry no values", "coherence.data", "l1.prefetch l2.prefetch"},
    {"it has no directory", PLAIN, "coherence.directory_ coherence.memory_ cluster.inclusion l2.inclusion"},
    {"its L1s perform atomics on what they own", "coherence=", "l1.atomics"},
    {"its directories name all copies", "coherence=nmoesi-multi2sim", "coherence.directory_"},
    {"only trees of coherent modules have that", "coherence=viper", TREE},
    {"load/store units go to L1 with all", "sm.lsu", "l1.spaces"},
    {"lanes that are accesses of their own carry no values", "sm.lsu l1.coalescer", "coherence.data"},
    {"needs l1.coalescer = warp or sector: lines are translated", "sm.lsu", "tlb."},
    {"l1.issue_latency needs l1.coalescer = warp and l1.reorder = none", "sm.lsu l1.reorder", "l1.issue_latency"},
    {"l1.collectors needs l1.coalescer = warp or sector, l1.reorder = none, l1.issue_latency = 0 and no tlb.page",
     "l1.collectors", "tlb. l1.reorder l1.issue_latency sm.lsu"},
    {"l1.mshr_free = drained needs l1.release_width, l1.sectors = 1 and coherence.data = false", "l1.mshr_free",
     "l1.sectors l1.fetch_sectors coherence.data"},
    {"l1.data_banks needs l1.coalescer = warp or sector, and no l1.release_width", "l1.data_bank",
     "l1.release_ l1.mshr_free sm.lsu"},
    {"l1.data_bank_width needs l1.data_banks above 0", "l1.data_bank", "l1.release_ l1.mshr_free sm.lsu"},
    {"a tree has caches of clusters between L1s and L2", TREE, "gl1. preset=rx6900xt"},
    {"coherence.data = true without a tree of modules needs l2.enabled = true", "l2.enabled", "coherence.data"},
    {"lines of a GL1 have no values", "gl1. preset=rx6900xt", "coherence.data"},
    {"a GL1 is below L1s", "gl1. preset=rx6900xt", "l1.enabled"},
    {"SMs of a GL1 would read through both", "gl1. preset=rx6900xt", "l2.partitions l2.sm_partition l2.link_"},
    {"L2 takes no lines from a GL1", "gl1. preset=rx6900xt", "l2.inclusion"},
    {"a GL1 is where reads of several SMs meet", "gl1. preset=rx6900xt", "lrc."},
    {"hears no replies of L2", "gl1. preset=rx6900xt", "l1.bypass="},
    {"constants have no values", "const. l15. kernels.code", "coherence.data"},
    {"slices of two halves keep nothing out", "gpu.", "l2.tokens"},
    {"their lines carry no values", "ports", "coherence.data"},
    {"needs mode = timed", "l1.future", "l1.prefetch l2.prefetch sample coherence.data stats.stages"},
    {"l1.coalescer = multi2sim needs mode = timed and coherence = PROTOCOL", "l1.coalescer", "coherence.data"},
    {"an L2 of several GPUs has no partitions", "l2.partitions", "gpu. cpu."},
    {"an L1's store miss leaves nothing there", "l1.write_allocate", PLAIN},
    {"l1.line_order = descending or banks needs l1.coalescer = warp or sector", "l1.line_order", "sm.lsu"},
    {"neither l1.prefetcher nor coherence.data knows parts of a line", "l1.coalescer", "l1.prefetch"},
    {"needs l1.enabled = true", "l1.enabled", "l1.prefetch"},
    {"needs l2.enabled = true", "l2.enabled", "l2.prefetch memory_cache. preset=rx6900xt preset=mi300x"},
    {"memories of trees are modules", TREE, "memory_cache."},
    {"bytes are left beside shared memory, less than one set of", "preset=", "l1.size"},
    {"with dram.scheduler = by-bank rows stay open", "preset=", "dram.page"},
    {"l1.bank_index = hopper or xor needs l1.banks = 4, l1.tag_ports above 1 and not l1.coalescer = sector",
     "preset=", "l1.coalescer"},
    {"a tree has one L2 in place of L2s of dies", TREE, "l2.homes"},
    {"needs l2.homes = hashed", "l2.homes",
     "coherence=viper coherence.data l2.inclusion ports port. kernels.copies address."},
    {"needs address.mapping = none", "address. dram.group_bits", "memory_cache. preset=rx6900xt preset=mi300x"},
    {"dram.group_bits = low: has no effect without address.mapping", "dram.group_bits", "memory_cache. l2.homes"},
    {"needs memory_cache.size = 0B", "dram.latency_at preset=gtx480-gpgpusim", "memory_cache."},
    {"must be a multiple of l2.partitions", "address.", "preset=mi300x"},
    {"l15.line = 128B: must be a power of two, at least l1.line", "kernels.code", "preset=gcn-7970"},
    {"powers of two, and together l1.data_width or more", "sm.lsu_waits", "l1.data_banks"},
    {"sm.lsu_in_flight needs sm.lsu_waits = true: nothing is awaited", "sm.lsu_in_flight", "sm.lsu_waits"},
    {"has no effect with address.mapping, which spreads addresses", "address. dram.group_bits", "l2.interleave"},
    {"has no effect with address.mapping", "address. dram.group_bits", "dram.mapping"},
};

/* Tells whether a list of features has a feature. */
static bool lists(const char *list, const feature *f) {
    char name[KEY_ROOM + VALUE_ROOM];
    snprintf(name, sizeof name, *f->value ? "%s=%s" : "%s", f->key, f->value);
    while (*list) {
        const size_t length = strcspn(list, " ");
        const bool open = strchr("._=", list[length - 1]) || !strncmp(list, "l1.prefetch", length) ||
                          !strncmp(list, "l2.prefetch", length) || !strncmp(list, "sm.lsu", length) ||
                          !strncmp(list, "l1.data_bank", length) || !strncmp(list, "l2.interleave", length);
        if (!strncmp(list, name, length) && (open || !name[length]))
            return true;
        list += length + strspn(list + length, " ");
    }
    return false;
}

const char *impossible(const feature *a, const feature *b, const char *refusal) {
    if (!strcmp(a->key, b->key))
        return "a key has one value";
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strstr(refusal, rules[i].reason) &&
            ((lists(rules[i].a, a) && lists(rules[i].b, b)) || (lists(rules[i].a, b) && lists(rules[i].b, a))))
            return rules[i].reason;
    return NULL;
}
