/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of accesses whose lanes go to places at random: loads, stores, reductions, in one SM and in all. */
#include "micro.h"
#include <algorithm>
#include <vector>

enum operation { LOAD, LOAD_PAST_L1, STORE_BYTE, STORE_WORD, STORE_SECTOR, ADD, LOAD_AND_STORE, COPY_BYTE, OPERATIONS };
static const char *const names[] = {"load", "load.cg", "store.u8", "store.u32", "store.256", "red.add", "load.cg+store.u32",
                                    "load.cg+store.u8"};

/*
 * Lanes whose number is below `lanes` take part; `run` of them side by side go to words side by side, from a place on that is a
 * sector's first, or with more than 8 that of so many. Loads are four at a time.
 */
__global__ void scatter(uint32_t *words, uint32_t *cycles, int what, uint32_t places, int unit, int times, int lanes, int run)
{
    __shared__ unsigned long long begin, end;
    __shared__ uint32_t room[1024];
    const uint32_t lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    uint32_t sum = 0;
    if (threadIdx.x == 0)
        begin = ~0ull, end = 0;
    __syncthreads();
    unsigned long long from = clock64();
    if ((int)lane < lanes)
        for (int i = 0; i < times; i += 4) {
            uint32_t value[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                uint32_t *at = words + (size_t)(mix((warp * 64 + lane / run) * 4099 + i + k) % places) * unit + lane % run;
                value[k] = 0;
                switch (what) {
                case LOAD: value[k] = load(at); break;
                case LOAD_PAST_L1: value[k] = load_past_l1(at); break;
                case STORE_BYTE: store_byte(at, i); break;
                case STORE_WORD: store(at, i); break;
                case STORE_SECTOR: store_four(at, i), store_four(at + 4, i); break;
                case ADD: atomicAdd(at, 1u); break;
                case LOAD_AND_STORE: value[k] = load_past_l1(at); store(words + (size_t)(mix(warp * 64 + lane / run + i * 77777 + k) % places) * unit, i); break;
                case COPY_BYTE: value[k] = load_past_l1(at); store_byte(words + (size_t)(mix(warp * 64 + lane / run + i * 77777 + k) % places) * unit, i); break;
                }
            }
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum += value[k];
        }
    wait_for(room + threadIdx.x, sum);
    unsigned long long to = clock64();
    atomicMin(&begin, from);
    atomicMax(&end, to);
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = (uint32_t)(end - begin);
}

static uint32_t *words, *cycles;

/* Stores are done long after their last is issued: the launch's own time, less an empty one's, says when. */
static void run_one(int what, size_t bytes, int blocks, int warps, int times, int lanes, int run)
{
    cudaEvent_t event[3];
    for (auto &e : event)
        CHECK(cudaEventCreate(&e));
    const int unit = std::max(8, run);
    const uint32_t places = (uint32_t)(bytes / 4 / unit);
    float empty = 1e9f, best = 1e9f, longer = 1e9f;
    std::vector<uint32_t> t(blocks);
    double mean = 1e18;
    for (int i = 0; i < 4; i++) {
        float once, twice, thrice;
        scatter<<<blocks, warps * 32>>>(words, cycles, what, places, unit, times, lanes, run);
        CHECK(cudaEventRecord(event[0]));
        scatter<<<blocks, warps * 32>>>(words, cycles, what, places, unit, 0, lanes, run);
        CHECK(cudaEventRecord(event[1]));
        CHECK(cudaEventSynchronize(event[1]));
        CHECK(cudaEventElapsedTime(&once, event[0], event[1]));
        CHECK(cudaEventRecord(event[0]));
        scatter<<<blocks, warps * 32>>>(words, cycles, what, places, unit, times, lanes, run);
        CHECK(cudaEventRecord(event[1]));
        scatter<<<blocks, warps * 32>>>(words, cycles, what, places, unit, 2 * times, lanes, run);
        CHECK(cudaEventRecord(event[2]));
        CHECK(cudaEventSynchronize(event[2]));
        CHECK(cudaEventElapsedTime(&twice, event[0], event[1]));
        CHECK(cudaEventElapsedTime(&thrice, event[1], event[2]));
        CHECK(cudaMemcpy(t.data(), cycles, 4 * blocks, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (uint32_t x : t)
            sum += x;
        mean = std::min(mean, sum / blocks);
        empty = std::min(empty, once), best = std::min(best, twice), longer = std::min(longer, thrice);
    }
    const double accesses = (double)blocks * warps * times * lanes / run;
    printf("scatter %s KiB=%zu blocks=%d warps=%d times=%d lanes=%d run=%d us=%.2f us2=%.2f block=%.0f places/ns=%.4f\n", names[what],
           bytes >> 10, blocks, warps, times, lanes, run, (best - empty) * 1e3, (longer - empty) * 1e3, mean,
           accesses / ((longer - best) * 1e6));
    fflush(stdout);
    for (auto &e : event)
        CHECK(cudaEventDestroy(e));
}

int main()
{
    words = device_words((size_t)1 << 29);
    cycles = device_words(1 << 20);
    const int sms = sm_count();
    for (int i = 0; i < 3; i++)
        run_one(LOAD_PAST_L1, 8 << 20, 2 * sms, 32, 256, 32, 1); /* clocks */
    for (int what = 0; what < OPERATIONS; what++)
        for (size_t mib : {1, 8})
            for (int blocks : {1, sms, 2 * sms})
                run_one(what, mib << 20, blocks, 32, 256, 32, 1);
    for (int what = 0; what < OPERATIONS; what++)
        run_one(what, (size_t)512 << 20, 2 * sms, 32, 64, 32, 1);
    for (int what : {LOAD_PAST_L1, STORE_BYTE, STORE_WORD})
        for (int lanes : {1, 2, 4, 8, 16})
            run_one(what, 8 << 20, 2 * sms, 32, 256, lanes, 1);
    for (int what : {LOAD, LOAD_PAST_L1, STORE_BYTE, STORE_WORD, ADD})
        for (int run : {2, 4, 8, 16, 32})
            for (int blocks : {1, 2 * sms})
                run_one(what, 8 << 20, blocks, 32, 256, 32, run);
    for (int what : {LOAD_PAST_L1, STORE_WORD, ADD, LOAD_AND_STORE})
        for (int kib : {64, 256, 2048, 4096, 16384, 32768})
            run_one(what, (size_t)kib << 10, 2 * sms, 32, 256, 32, 1);
    for (int what : {LOAD_PAST_L1, STORE_WORD, ADD})
        for (int blocks : {2, 4, 9, 16, 18, 33, 66, 99})
            run_one(what, 8 << 20, blocks, 32, 256, 32, 1);
    for (int warps : {1, 2, 4, 8, 16})
        for (int what : {LOAD_PAST_L1, STORE_WORD})
            run_one(what, 8 << 20, sms, warps, 256, 32, 1);
    finish();
    return 0;
}
