/* SPDX-License-Identifier: BSD-2-Clause */
/* Which lines share a set of L1: those by whose being read a line leaves, and where lines of other addresses belong. */
#include "micro.h"
#include <cmath>
#include <vector>

#define LINE_WORDS 32
#define SLOW 200   /* core cycles: L1 answers in 101, L2 in 317 and more */
#define POOL 4096  /* lines */
#define SHARE .42  /* of them that a trial reads: a set's four ways are then about as often too few as enough */
#define TRIALS 1500 /* launches, each a trial on every SM */

static __device__ __forceinline__ uint32_t is_slow(const uint32_t *at)
{
    __shared__ uint32_t room[32];
    long long begin = clock64();
    uint32_t value = load(at);
    wait_for(room + (threadIdx.x & 31), value);
    return clock64() - begin > SLOW;
}

/* Does `target` leave when some of the pool's lines are read, each with probability share / 2^32? */
__global__ void subset(const uint32_t *words, size_t target, size_t pool, uint32_t share, uint32_t seed, uint8_t *gone)
{
    uint32_t trial = seed + blockIdx.x, zero;
    const uint32_t *at = words + target * LINE_WORDS;
    zero = __shfl_sync(~0u, load(at), 0);
    for (int i = threadIdx.x; i < POOL; i += 32) {
        uint32_t value = 0;
        size_t line = pool + i;
        if (mix(mix(trial) + i) < share && line != target)
            value = load(words + line * LINE_WORDS + zero);
        /* All 32 are there before the next are asked for. */
        zero = __reduce_or_sync(~0u, value);
    }
    uint32_t slow = is_slow(at + zero);
    if (threadIdx.x == 0)
        gone[trial] = (uint8_t)slow;
}

/* Trials in which a line was read, and in which the target was gone then. */
__global__ void count(const uint8_t *gone, uint32_t trials, uint32_t share, uint32_t *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t with = 0, read = 0;
    for (uint32_t t = 0; t < trials; t++)
        if (mix(mix(t) + i) < share)
            read++, with += gone[t];
    counts[2 * i] = with;
    counts[2 * i + 1] = read;
}

/* Is the target gone when four of the lines below POOL have been read that share set `from` + block? */
__global__ void where(const uint32_t *target, const uint32_t *words, const uint32_t *known, uint32_t *out, int from)
{
    int set = from + blockIdx.x;
    uint32_t zero, at[4];
    if (set >= 512)
        return;
    for (int i = 0; i < 4; i++)
        at[i] = load_past_l1(known + set * 4 + i);
    zero = load(target);
    for (int i = 0; i < 4; i++)
        zero += load(words + (size_t)at[i] * LINE_WORDS + zero);
    out[set] = is_slow(target + zero);
}

static uint32_t *words, *out;
static uint8_t *bits;

/* Prints the lines that share the target's set: each makes it leave significantly more often. */
static std::vector<uint32_t> run(size_t target, size_t pool)
{
    const uint32_t share = (uint32_t)(SHARE * 4294967295.0), trials = TRIALS * sm_count();
    for (int i = 0; i < TRIALS; i++)
        subset<<<sm_count(), 32>>>(words, target, pool, share, i * sm_count(), bits);
    count<<<POOL / 128, 128>>>(bits, trials, share, out);
    std::vector<uint32_t> counts(2 * POOL), mates;
    std::vector<uint8_t> each(trials);
    CHECK(cudaMemcpy(counts.data(), out, 8 * POOL, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(each.data(), bits, trials, cudaMemcpyDeviceToHost));
    double gone = 0;
    for (uint8_t bit : each)
        gone += bit;
    printf("sets target=%zu pool=%zu: gone in %.3f of %u trials; with it", target, pool, gone / trials, trials);
    for (uint32_t i = 0; i < POOL; i++) {
        double with = counts[2 * i], read = counts[2 * i + 1], rate = gone / trials;
        if (read && with / read - (gone - with) / (trials - read) > 20 * sqrt(rate * (1 - rate) * (1 / read + 1 / (trials - read)))) {
            printf(" %u", i);
            mates.push_back(i);
        }
    }
    printf("\n");
    return mates;
}

static int find_set(const uint32_t *target, const uint32_t *known)
{
    int found = -1;
    for (int from = 0; from < 512; from += sm_count())
        where<<<sm_count(), 1>>>(target, words, known, out, from);
    std::vector<uint32_t> host(512);
    CHECK(cudaMemcpy(host.data(), out, 2048, cudaMemcpyDeviceToHost));
    for (int set = 0; set < 512; set++)
        if (host[set])
            found = found == -1 ? set : -2;
    return found;
}

int main()
{
    words = device_words((size_t)66 << 30);
    out = device_words((size_t)1 << 16);
    CHECK(cudaMalloc((void **)&bits, 1 << 20));
    CHECK(cudaFuncSetAttribute(subset, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    std::vector<uint32_t> mates = run(0, 0);
    for (size_t target : {1, 2, 3, 5, 64, 100, 1000, 2047})
        run(target, 0);
    for (int bit = 12; bit <= 24; bit++)
        run(0, (size_t)1 << bit);
    /* A set's number: its line below 512, of which each has its own. All its lines differ from that by the mates. */
    std::vector<uint32_t> table(2048);
    for (uint32_t set = 0; set < 512; set++)
        for (uint32_t i = 0; i < 4; i++)
            table[set * 4 + i] = i && i <= mates.size() ? set ^ mates[i - 1] : set;
    uint32_t *known = device_words(8192), random = 12345;
    CHECK(cudaMemcpy(known, table.data(), 8192, cudaMemcpyHostToDevice));
    for (int i = 0; i < 120; i++) {
        uint64_t line = i < 18 ? (uint64_t)1 << (12 + i) : (random = random * 1664525 + 1013904223) >> 3;
        if (line >= POOL && line < (uint64_t)66 << 23)
            printf("set of %p: that of %p\n", (void *)(words + line * 32), (void *)(words + (size_t)find_set(words + line * 32, known) * 32));
    }
    finish();
    return 0;
}
