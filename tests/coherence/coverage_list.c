/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/coverage.h"

#include <string.h>

/* Cells out of reach of random programs, with reasons. */

#define FIRST (1u << GPCI_PLACE_FIRST)
#define BETWEEN (1u << GPCI_PLACE_BETWEEN)
#define SHARED (1u << GPCI_PLACE_LAST)
#define MEMORY (1u << GPCI_PLACE_MEMORY)
#define CACHES (FIRST | BETWEEN | SHARED)
#define BELOW (BETWEEN | SHARED | MEMORY)
#define ALL "msi mesi mesif mosi moesi nmoesi nmoesi-multi2sim vi none slc-glc"
#define COHERENT "msi mesi mesif mosi moesi"
#define TRACKED COHERENT " nmoesi nmoesi-multi2sim"
#define UNTRACKED "vi none slc-glc"

#define EVENT(id) (1u << GPC_EVENT_##id)
#define PROBES (EVENT(READ_PROBE) | EVENT(WRITE_PROBE))
#define ANY UINT32_MAX

static const struct {
    const char *protocols;
    uint32_t places;
    const char *states;
    uint32_t events;
    const char *reason;
} cells[] = {
    {ALL, CACHES, "I", EVENT(EVICTION), "only what is valid makes room"},
    {ALL, CACHES, "I", PROBES, "what a probe does not find is answered without the table"},
    {ALL, CACHES, "I", EVENT(ACQUIRE), "only what is valid is gone through"},
    {COHERENT " vi", BELOW, "MOESI", EVENT(N_DATA_ABOVE), "nothing is ever in N"},
    {"mesif mosi moesi nmoesi", CACHES, "S", EVENT(READ_PROBE), "owners are probed, and who is in S owns nothing"},
    {"nmoesi", BETWEEN, "N", EVENT(READ_PROBE), "owners are probed, and below the first level N comes of S only"},
    {COHERENT " nmoesi", SHARED, "MOES", EVENT(READ_PROBE), "nobody beside it asks for what it serves"},
    {"mesi moesi nmoesi", SHARED, "NOS", ANY, "nobody beside it has a copy of what it serves: it is in E, or M"},
    {"mesif", SHARED, "SF", ANY, "nobody beside it has a copy of what it serves: it is in E, or M"},
    {"mosi", SHARED, "O", ANY, "nobody beside it has a copy of what it serves: it is in S, or M"},
    {UNTRACKED, MEMORY, "ME", EVENT(WRITE_ABOVE), "without a directory nobody asks for the only copy"},
    {"slc-glc", BETWEEN | SHARED, "I", EVENT(PASSING_LOAD) | EVENT(PASSING_STORE),
     "what is not there is passed without the table"},
};

static const struct {
    const char *protocols;
    uint32_t origins;
    const char *reason;
} origins[] = {
    {COHERENT " vi", GPC_ORIGIN_N_EVICT_DATA_1 | GPC_ORIGIN_N_EVICT_DATA_2 | GPC_ORIGIN_INVALIDATE_DATA_2,
     "nothing is ever in N"},
    {"none", GPC_ORIGIN_EVICT_DATA, "what is modified above memory is in N"},
    {"msi mosi", GPC_ORIGIN_READ_DOWN_UP_2, "without E, who owns has modified the block, and answers with data"},
    {TRACKED " none", GPC_ORIGIN_ACQUIRE, "an acquire changes nothing"},
    {TRACKED " none", GPC_ORIGIN_PASS, "no bit of an access sends it past a cache"},
    {ALL, GPC_ORIGIN_DETACHED, "only a protocol with an event of its own detaches copies"},
    {"vi slc-glc", GPC_ORIGIN_STORE, "atomics are made where all meet"},
    {UNTRACKED,
     GPC_ORIGIN_WRITE_UP_DOWN | GPC_ORIGIN_WRITE_DOWN_UP | GPC_ORIGIN_READ_DOWN_UP_1 | GPC_ORIGIN_READ_DOWN_UP_2 |
         GPC_ORIGIN_READ_DOWN_UP_3 | GPC_ORIGIN_INVALIDATE_DATA_1 | GPC_ORIGIN_INVALIDATE_DATA_2 |
         GPC_ORIGIN_PROBE_DATA,
     "without a directory nobody is probed"},
    {UNTRACKED, GPC_ORIGIN_DIRECTORY_ONLY, "without a directory no cache includes another"},
    {"nmoesi-multi2sim", GPC_ORIGIN_PROBE_DATA, "data that answer a read probe change no state below (D3)"},
    {"nmoesi-multi2sim", GPC_ORIGIN_WRITE_THROUGH | GPC_ORIGIN_DIRECTORY_ONLY,
     "the simulator has neither write-through nor non-inclusive caches"},
};

/* True if a name is in the list. */
static bool names(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

const char *coverage_reason(const char *protocol, uint32_t place, uint32_t state, uint32_t event) {
    for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++)
        if (cells[i].places >> place & cells[i].events >> event & 1 && strchr(cells[i].states, "NMOESIF"[state]) &&
            names(cells[i].protocols, protocol))
            return cells[i].reason;
    return NULL;
}

const char *coverage_origin_reason(const char *protocol, uint32_t origin) {
    for (size_t i = 0; i < sizeof(origins) / sizeof(*origins); i++)
        if (origins[i].origins & origin && names(origins[i].protocols, protocol))
            return origins[i].reason;
    return NULL;
}
