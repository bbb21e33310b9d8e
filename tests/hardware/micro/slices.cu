/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks; and which lines share what does reductions in L2: two that all SMs add to take twice as long if they do. */
#include "micro.h"
#include <algorithm>
#include <vector>

__global__ void add_pair(uint32_t *a, uint32_t *b, int times)
{
    if (threadIdx.x % 32)
        return;
    for (int i = 0; i < times; i++)
        atomicAdd(a, 1u), atomicAdd(b, 1u);
}
__global__ void clocks(unsigned long long *out)
{
    unsigned long long g0, g1;
    long long c0 = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0));
    wait_cycles(4000000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
    out[0] = clock64() - c0, out[1] = g1 - g0;
}
static uint32_t *words;
static cudaEvent_t from, to;

static float pair_time(size_t a, size_t b)
{
    float ms;
    CHECK(cudaEventRecord(from));
    add_pair<<<132, 128>>>(words + a / 4, words + b / 4, 64);
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return ms * 1e3f;
}

static float limit;
static bool same(size_t a, size_t b)
{
    for (int i = 0; i < 4; i++)
        if (pair_time(a, b) < limit)
            return false;
    return true;
}
static void classes(const char *name, const std::vector<size_t> &lines, std::vector<size_t> &seen)
{
    printf("classes %s:", name);
    for (size_t line : lines) {
        int found = -1;
        for (size_t k = 0; k < seen.size() && found < 0; k++)
            if (same(seen[k], line))
                found = (int)k;
        if (found < 0)
            found = (int)seen.size(), seen.push_back(line);
        printf(" %d", found);
    }
    printf("\n");
    fflush(stdout);
}

int main()
{
    words = device_words((size_t)1 << 30);
    unsigned long long told[2];
    clocks<<<1, 1>>>((unsigned long long *)words);
    CHECK(cudaMemcpy(told, words, sizeof told, cudaMemcpyDeviceToHost));
    printf("clock %.1f MHz\n", told[0] * 1e3 / told[1]);
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int i = 0; i < 20; i++)
        pair_time(0, 0);
    float together = 1e9f;
    for (int i = 0; i < 5; i++)
        together = std::min(together, pair_time(0, 0));
    limit = together * 0.75f;
    printf("together %.1f us\n", together);
    std::vector<size_t> seen, lines;
    for (size_t k = 0; k < 8192; k++)
        lines.push_back(k * 256);
    classes("page 0", lines, seen);
    printf("count %zu\n", seen.size());
    for (size_t page : {1, 2, 3, 4, 8, 16, 32, 64, 128, 256}) {
        lines.clear();
        for (size_t k = 0; k < 512; k++)
            lines.push_back((page << 21) + k * 256);
        char name[32];
        snprintf(name, sizeof name, "page %zu", page);
        classes(name, lines, seen);
    }
    printf("count %zu\n", seen.size());
    return 0;
}
