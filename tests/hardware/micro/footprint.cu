/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of stores, and of loads beside stores, of all SMs to few places: by how many places, how far apart, whose. */
#include "micro.h"
#include <algorithm>

enum operation {
    LOAD,
    STORE,
    LOAD_AND_STORE,
    LOAD_AND_STORE_APART,   /* in other memory */
    LOAD_AND_STORE_SIBLING, /* to another sector of such lines */
    LOAD_AND_STORE_LINES,   /* to the lines beside */
    STORE_SECTOR,
    ADD
};
static const char *const names[] = {"load.cg", "store.u32", "load.cg+store.u32", "load.cg+store.u32.apart",
                                    "load.cg+store.u32.sibling", "load.cg+store.u32.lines", "store.256", "red.add"};

/* `places` places, `unit` words from one to the next. */
__global__ void footprint(uint32_t *words, uint32_t *other, int what, uint32_t places, int unit, int times, int lanes)
{
    const uint32_t lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    uint32_t sum = 0;
    if ((int)lane < lanes)
        for (int i = 0; i < times; i += 4) {
            uint32_t value[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const size_t p = (size_t)(mix((warp * 64 + lane) * 4099 + i + k) % places) * unit;
                const size_t q = (size_t)(mix(warp * 64 + lane + i * 77777 + k) % places) * unit;
                value[k] = 0;
                switch (what) {
                case LOAD: value[k] = load_past_l1(words + p); break;
                case STORE: store(words + p, i); break;
                case LOAD_AND_STORE: value[k] = load_past_l1(words + p), store(words + q, i); break;
                case LOAD_AND_STORE_APART: value[k] = load_past_l1(words + p), store(other + q, i); break;
                case LOAD_AND_STORE_SIBLING: value[k] = load_past_l1(words + p), store(words + q + 8, i); break;
                case LOAD_AND_STORE_LINES: value[k] = load_past_l1(words + p), store(words + q + 32, i); break;
                case STORE_SECTOR: store_four(words + p, i), store_four(words + p + 4, i); break;
                case ADD: atomicAdd(words + p, 1u); break;
                }
            }
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum += value[k];
        }
    if (sum == 12345) /* so that no load is left out */
        other[0] = sum;
}

static uint32_t *words, *other;

static void run_one(int what, uint32_t places, int bytes, int blocks, int warps, int times, int lanes)
{
    cudaEvent_t event[3];
    for (auto &e : event)
        CHECK(cudaEventCreate(&e));
    float best = 1e9f, longer = 1e9f;
    for (int i = 0; i < 3; i++) {
        float once, twice;
        footprint<<<blocks, warps * 32>>>(words, other, what, places, bytes / 4, times, lanes);
        CHECK(cudaEventRecord(event[0]));
        footprint<<<blocks, warps * 32>>>(words, other, what, places, bytes / 4, times, lanes);
        CHECK(cudaEventRecord(event[1]));
        footprint<<<blocks, warps * 32>>>(words, other, what, places, bytes / 4, 2 * times, lanes);
        CHECK(cudaEventRecord(event[2]));
        CHECK(cudaEventSynchronize(event[2]));
        CHECK(cudaEventElapsedTime(&once, event[0], event[1]));
        CHECK(cudaEventElapsedTime(&twice, event[1], event[2]));
        best = std::min(best, once), longer = std::min(longer, twice);
    }
    const double all = (double)blocks * warps * times * lanes;
    printf("footprint %s places=%u apart=%d blocks=%d warps=%d times=%d lanes=%d us=%.2f us2=%.2f places/ns=%.4f\n",
           names[what], places, bytes, blocks, warps, times, lanes, best * 1e3, longer * 1e3, all / ((longer - best) * 1e6));
    fflush(stdout);
    for (auto &e : event)
        CHECK(cudaEventDestroy(e));
}

int main()
{
    words = device_words((size_t)1 << 30);
    other = device_words((size_t)1 << 30);
    const int sms = sm_count();
    for (int i = 0; i < 3; i++)
        run_one(LOAD, 1 << 18, 32, 2 * sms, 32, 256, 32); /* clocks */
    /* How many places, how far apart. */
    for (int what : {STORE, LOAD})
        for (int bytes : {32, 64, 128, 256, 512, 1024, 4096, 32768})
            for (uint32_t places : {1u, 4u, 16u, 64u, 256u, 1024u, 2048u, 4096u, 8192u, 32768u})
                if ((size_t)places * bytes <= (size_t)1 << 30)
                    run_one(what, places, bytes, 2 * sms, 32, places < 64 ? 16 : 64, 32);
    /* Few lanes, few warps, few SMs: what waits for what. */
    for (int blocks : {1, 4, 16, 66, 132})
        for (uint32_t places : {1u, 16u, 256u, 2048u, 32768u})
            run_one(STORE, places, 32, blocks, 32, 64, 32);
    for (int lanes : {1, 4, 8, 16})
        for (uint32_t places : {1u, 16u, 256u, 2048u, 32768u})
            run_one(STORE, places, 32, 2 * sms, 32, 64, lanes);
    /* Loads beside stores: the same sectors, other memory, the same lines' other sectors, the lines beside. */
    for (int what : {LOAD_AND_STORE, LOAD_AND_STORE_APART})
        for (int bytes : {32, 128, 512, 4096})
            for (uint32_t places : {64u, 512u, 2048u, 8192u, 32768u})
                run_one(what, places, bytes, 2 * sms, 32, 64, 32);
    for (uint32_t places : {64u, 512u, 2048u, 8192u, 32768u})
        for (int bytes : {64, 128, 512})
            run_one(LOAD_AND_STORE_SIBLING, places, bytes, 2 * sms, 32, 64, 32);
    for (uint32_t places : {64u, 512u, 2048u, 8192u, 32768u})
        for (int bytes : {256, 1024})
            run_one(LOAD_AND_STORE_LINES, places, bytes, 2 * sms, 32, 64, 32);
    for (int what : {STORE_SECTOR, ADD})
        for (uint32_t places : {1u, 16u, 256u, 2048u, 8192u, 32768u})
            run_one(what, places, 32, 2 * sms, 32, 64, 32);
    /* As few loads and stores at a time as a chain has. */
    for (int warps : {1, 4, 8})
        for (int what : {LOAD_AND_STORE, LOAD_AND_STORE_APART})
            for (uint32_t places : {512u, 2048u, 32768u})
                run_one(what, places, 32, sms, warps, 64, 32);
    finish();
    return 0;
}
