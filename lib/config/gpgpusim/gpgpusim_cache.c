/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "config/gpgpusim/gpgpusim.h"

#include <string.h>

/* Position of the reading; `what` describes the faulty field, or is NULL. */
typedef struct cursor {
    const char *at;
    const char *what;
    bool read_only;
} cursor;

static bool refuse(cursor *text, const char *what) {
    text->what = what;
    return false;
}

static bool read_number(cursor *text, uint32_t *value, const char *what) {
    const char *at = text->at;
    uint64_t n = 0;
    for (; *at >= '0' && *at <= '9' && n <= UINT32_MAX; at++)
        n = n * 10 + (uint64_t)(*at - '0');
    if (at == text->at || n > UINT32_MAX)
        return refuse(text, what);
    text->at = at;
    *value = (uint32_t)n;
    return true;
}

static bool read_mark(cursor *text, char mark, const char *what) {
    if (*text->at != mark)
        return refuse(text, what);
    text->at++;
    return true;
}

static bool read_letter(cursor *text, const char *letters, char *letter, const char *what) {
    if (!*text->at || !strchr(letters, *text->at))
        return refuse(text, what);
    *letter = *text->at++;
    return true;
}

/* Read the geometry: [type:]sets:line:ways, with type N or S. */
static bool read_geometry(cursor *text, gpci_gpgpusim_cache *out) {
    char type = 'N';
    if (*text->at < '0' || *text->at > '9')
        if (!read_letter(text, "NS", &type, "the type is neither N (normal) nor S (sectored)") ||
            !read_mark(text, ':', "a ':' is missing after the type"))
            return false;
    out->sectors = type == 'S';
    return read_number(text, &out->sets, "the number of sets is missing") &&
           read_mark(text, ':', "a ':' is missing after the sets") &&
           read_number(text, &out->line, "the line size is missing") &&
           read_mark(text, ':', "a ':' is missing after the line size") &&
           read_number(text, &out->ways, "the number of ways is missing") &&
           read_mark(text, ',', "a ',' is missing after the ways");
}

/* Read the letters: replacement:write:allocate:write_allocate[:index]. */
static bool read_policies(cursor *text, gpci_gpgpusim_cache *out) {
    out->index = 'L';
    return read_letter(text, "LF", &out->replacement, "the replacement is neither L (LRU) nor F (FIFO)") &&
           read_mark(text, ':', "a ':' is missing after the replacement") &&
           (text->read_only
                ? read_letter(text, "R", &out->write, "the write policy is not R, of a cache that is only read")
                : read_letter(text, "BTEL", &out->write,
                              "the write policy is none of B, T, E and L (R: read-only caches)")) &&
           read_mark(text, ':', "a ':' is missing after the write policy") &&
           read_letter(text, "mfs", &out->allocate, "the allocation is none of m, f and s") &&
           read_mark(text, ':', "a ':' is missing after the allocation") &&
           read_letter(text, "NWFL", &out->write_allocate, "the write allocation is none of N, W, F and L") &&
           (*text->at == ',' ||
            (read_mark(text, ':', "a ':' is missing after the write allocation") &&
             read_letter(text, "LHPXC", &out->index, "the set index is none of L, H, P, X and C"))) &&
           read_mark(text, ',', "a ',' is missing after the policies");
}

/* Read the resources: MSHR type:entries:merges[,miss queue[:result FIFO][,data port]]. */
static bool read_queues(cursor *text, gpci_gpgpusim_cache *out) {
    char mshr;
    uint32_t fifo;
    if (!read_letter(text, "AS", &mshr, "the MSHR is neither A nor S (F and T are for texture caches)") ||
        !read_mark(text, ':', "a ':' is missing after the MSHR type") ||
        !read_number(text, &out->mshr_entries, "MSHR entries are missing") ||
        !read_mark(text, ':', "a ':' is missing after the MSHR entries") ||
        !read_number(text, &out->mshr_merges, "merges are missing"))
        return false;
    if (*text->at == ',') {
        text->at++;
        if (!read_number(text, &out->miss_queue, "the miss queue is missing"))
            return false;
        if (*text->at == ':') {
            text->at++;
            if (!read_number(text, &fifo, "the result FIFO is missing"))
                return false;
        }
        if (*text->at == ',') {
            text->at++;
            if (!read_number(text, &out->port, "the data port is missing"))
                return false;
        }
    }
    if (*text->at)
        return refuse(text, "there is something after the last field");
    if (!out->port)
        out->port = out->line;
    return !out->port || out->line % out->port == 0 || refuse(text, "the data port does not divide the line");
}

/* Check the fields together, as GPGPU-Sim's assertions do. */
static bool check(cursor *text, const gpci_gpgpusim_cache *out) {
    if (!out->sets || !out->ways || !gpci_power_of_two(out->line))
        return refuse(text, "sets and ways must be at least 1, the line size a power of two");
    if ((uint64_t)out->sets * out->ways > ((uint64_t)1 << 40) / out->line)
        return refuse(text, "the capacity is beyond 1 TiB");
    if (out->sectors && out->line != 128)
        return refuse(text, "a sectored line has 4 sectors of 32 bytes");
    if (out->allocate == 'm')
        return true;
    if (out->write == 'B')
        return refuse(text, "a write-back cache must allocate on a miss (m)");
    if (out->write_allocate == 'F' || out->write_allocate == 'L')
        return refuse(text, "write allocation F and L need allocation on a miss (m)");
    return true;
}

static gpc_status read_cache(const char *text, bool read_only, gpci_gpgpusim_cache *out, gpc_error *error) {
    *out = (gpci_gpgpusim_cache){.none = !strcmp(text, "none")};
    if (out->none)
        return GPC_OK;
    cursor c = {text, NULL, read_only};
    if (!read_geometry(&c, out) || !read_policies(&c, out) || !read_queues(&c, out) || !check(&c, out))
        return gpci_fail(error, GPC_ERROR_FORMAT, "'%s': %s", gpci_quote(text).text, c.what);
    if (out->index == 'C')
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "'%s': set index C is the user's own", gpci_quote(text).text);
    return GPC_OK;
}

gpc_status gpci_gpgpusim_cache_read(const char *text, gpci_gpgpusim_cache *out, gpc_error *error) {
    return read_cache(text, false, out, error);
}

gpc_status gpci_gpgpusim_cache_read_only(const char *text, gpci_gpgpusim_cache *out, gpc_error *error) {
    return read_cache(text, true, out, error);
}

const char *gpci_gpgpusim_index(const gpci_gpgpusim_cache *cache) {
    return cache->index == 'H' ? "fermi" : cache->index == 'P' ? "ipoly" : cache->index == 'X' ? "xor" : "modulo";
}

const char *gpci_gpgpusim_replacement(const gpci_gpgpusim_cache *cache) {
    return cache->replacement == 'F' ? "fifo" : "lru";
}

const char *gpci_gpgpusim_write(const gpci_gpgpusim_cache *cache) {
    return cache->write == 'B' ? "back" : cache->write == 'T' ? "through" : "evict";
}

const char *gpci_gpgpusim_write_local(const gpci_gpgpusim_cache *cache) {
    return cache->write == 'L' ? "back" : gpci_gpgpusim_write(cache);
}

/* W and F both read the line in; W also writes through. */
const char *gpci_gpgpusim_write_allocate(const gpci_gpgpusim_cache *cache) {
    return cache->write_allocate == 'N' ? "none" : cache->write_allocate == 'L' ? "lazy" : "fetch";
}

const char *gpci_gpgpusim_allocate(const gpci_gpgpusim_cache *cache) {
    return cache->allocate == 'm' ? "on-miss" : cache->allocate == 'f' ? "on-fill" : "streaming";
}
