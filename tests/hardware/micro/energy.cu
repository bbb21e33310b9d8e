/* SPDX-License-Identifier: BSD-2-Clause */
/* Energy by event, from the board's own meter (NVML, millijoules), while one thing is done for about two seconds. */
#include "micro.h"
#include <dlfcn.h>
#include <time.h>

typedef int (*nvml_init)(void);
typedef int (*nvml_handle)(unsigned, void **);
typedef int (*nvml_energy)(void *, unsigned long long *);
typedef int (*nvml_clock)(void *, int, unsigned *);

static void *device;
static nvml_energy energy_of;
static nvml_clock clock_of;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static double joules(void)
{
    unsigned long long millijoules = 0;
    if (energy_of(device, &millijoules) != 0)
        fprintf(stderr, "NVML tells no energy\n");
    return millijoules * 1e-3;
}

enum what { SLEEP, SPIN, L1_HITS, L1_LINES, SHARED, L2_HITS, DRAM_READS, DRAM_WRITES, L2_WRITES, FMA, IADD, ONE_SM, WHATS };
static const char *const names[] = {"sleep", "spin",       "l1-hits",     "l1-hits-of-32-lines", "shared", "l2-hits", "dram-reads",
                                    "dram-writes", "l2-writes",  "fma",                 "iadd",   "one-sm"};

/* Events that one launch makes are rounds * 8 of each warp, but for SPIN and ONE_SM. */
__global__ void work(uint32_t *words, int what, int rounds, size_t mask, int pause)
{
    __shared__ uint32_t table[2048];
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    int lane = threadIdx.x & 31;
    uint32_t a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float f[8] = {1, 2, 3, 4, 5, 6, 7, 8};

    table[threadIdx.x] = table[threadIdx.x + 1024] = threadIdx.x;
    __syncthreads();
    if (what == SPIN || what == ONE_SM) {
        wait_cycles((long long)rounds * 1000);
        return;
    }
    if (what == SLEEP) {
        for (int i = 0; i < rounds; i++)
            __nanosleep(1000000);
        return;
    }
    for (int i = 0; i < rounds; i++) {
        /* A pause between rounds: the same events at a lower rate tell them from what only runs with them. */
        if (pause > 0)
            __nanosleep(pause);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            size_t stream = ((size_t)(i * 8 + k) * threads + thread) & mask;
            if (what == L1_HITS)
                a[k] += load(words + (size_t)blockIdx.x * 8192 + k * 1024 + threadIdx.x % 1024);
            else if (what == L1_LINES)
                a[k] += load(words + (size_t)blockIdx.x * 8192 + lane * 32 + k * 1024 + threadIdx.x / 32 % 8);
            else if (what == SHARED)
                a[k] += *(volatile uint32_t *)&table[(threadIdx.x + k * 32) & 2047];
            else if (what == L2_HITS)
                a[k] += load_past_l1(words + stream);
            else if (what == DRAM_READS)
                a[k] += load_past_l1(words + stream);
            else if (what == DRAM_WRITES || what == L2_WRITES)
                store(words + stream, (uint32_t)stream * 2654435761u);
            else if (what == FMA)
                asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(f[k]) : "f"(f[(k + 1) & 7]));
            else
                asm volatile("mad.lo.u32 %0, %0, %1, %0;" : "+r"(a[k]) : "r"(a[(k + 1) & 7]));
        }
    }
    for (int k = 1; k < 8; k++)
        a[0] += a[k] + (uint32_t)f[k];
    if (a[0] == 0x12345)
        words[0] = a[0];
}

/* Bits without a pattern: zeros cost less to move. */
__global__ void fill(uint32_t *words, size_t count)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        words[i] = ((uint32_t)i * 2654435761u ^ (uint32_t)i >> 7) * 2246822519u;
}

static void run(uint32_t *words, int what, int blocks, int rounds, size_t mask, int pause = 0)
{
    double begin, end, first, last;
    long launches = 0;
    unsigned sm_clock = 0, memory_clock = 0;

    work<<<blocks, 1024>>>(words, what, rounds, mask, pause);
    finish();
    begin = now();
    /* The meter moves in steps of up to a tenth of a second: begin right after one. */
    for (first = joules(); joules() == first && now() - begin < .3;)
        ;
    first = joules();
    begin = now();
    do {
        for (int i = 0; i < 4; i++, launches++)
            work<<<blocks, 1024>>>(words, what, rounds, mask, pause);
        CHECK(cudaDeviceSynchronize());
        if (launches == 8)
            clock_of(device, 1, &sm_clock), clock_of(device, 2, &memory_clock);
    } while (now() - begin < 1.5);
    end = now();
    last = joules();
    printf("energy %s blocks=%d pause=%d joules=%.3f seconds=%.4f warp_instructions=%.6g sm_mhz=%u memory_mhz=%u\n", names[what], blocks, pause,
           last - first, end - begin, (double)launches * blocks * 32 * rounds * 8, sm_clock, memory_clock);
    fflush(stdout);
}

int main()
{
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    double begin, first;
    int sms = sm_count();
    uint32_t *words = device_words((size_t)8 << 30);
    size_t all = ((size_t)2 << 30) - 1, in_l2 = ((size_t)4 << 20) - 1;

    if (nvml == nullptr)
        return fprintf(stderr, "no NVML: %s\n", dlerror()), 1;
    ((nvml_init)dlsym(nvml, "nvmlInit_v2"))();
    ((nvml_handle)dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2"))(0, &device);
    energy_of = (nvml_energy)dlsym(nvml, "nvmlDeviceGetTotalEnergyConsumption");
    clock_of = (nvml_clock)dlsym(nvml, "nvmlDeviceGetClockInfo");
    fill<<<1056, 256>>>(words, (size_t)2 << 30);
    finish();
    begin = now();
    first = joules();
    while (now() - begin < 2)
        ;
    printf("energy idle joules=%.3f seconds=%.4f\n", joules() - first, now() - begin);
    run(words, ONE_SM, 1, 10000, all);
    run(words, SLEEP, 2 * sms, 10, all);
    run(words, SPIN, 2 * sms, 10000, all);
    for (int pause : {0, 2000}) {
        run(words, IADD, 2 * sms, pause ? 2000 : 20000, all, pause);
        run(words, FMA, 2 * sms, pause ? 2000 : 20000, all, pause);
        run(words, SHARED, 2 * sms, pause ? 2000 : 10000, all, pause);
        run(words, L1_HITS, 2 * sms, pause ? 2000 : 10000, all, pause);
        run(words, L1_LINES, 2 * sms, 1000, all, pause);
        run(words, L2_HITS, 2 * sms, 2000, in_l2, pause * 4);
        run(words, L2_WRITES, 2 * sms, 2000, in_l2, pause * 4);
        run(words, DRAM_READS, 2 * sms, 1000, all, pause * 8);
        run(words, DRAM_WRITES, 2 * sms, 1000, all, pause * 8);
    }
    return 0;
}
