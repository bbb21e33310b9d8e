/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores that meet on their way to L2: who merges with whom, within which window, after which time. */
#include "micro.h"

struct shape {
    int blocks, warps;
    int count;       /* stores of each warp */
    int window;      /* places that its stores go round */
    int place;       /* words between two places */
    int lanes, lane; /* lanes that store, and words between two lanes */
    int step;        /* words by which each round moves on, modulo 8 */
    int gap;         /* cycles between two stores */
    int share;       /* 0: each warp has places of its own; 1: the warps of a block share them; 2: all share them */
};

/* Windows are powers of two: a division would be 200 cycles between two stores. */
__global__ void stores(uint32_t *words, struct shape shape)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    size_t region = shape.share == 2 ? 0 : shape.share == 1 ? blockIdx.x : blockIdx.x * shape.warps + warp;
    uint32_t *base = words + region * (shape.share == 0 ? 32768 : 65536) + lane * shape.lane;
    int mask = shape.window - 1, bits = __popc(mask);

    if (lane >= shape.lanes)
        return;
#pragma unroll 4
    for (int i = 0; i < shape.count; i++) {
        store(base + (i & mask) * shape.place + ((i >> bits) * shape.step & 7), i);
        if (shape.gap != 0)
            wait_cycles(shape.gap);
    }
}

/*
 * Two stores to one sector, a line of its own each round: by one warp (second < 0) or by warps 0 and `second`, the second
 * `gap` cycles later. The other warps of the block store to lines of their own meanwhile, `flood` times a round.
 */
__global__ void pairs(uint32_t *words, int rounds, int second, int gap, int flood)
{
    int warp = threadIdx.x >> 5, leader = (threadIdx.x & 31) == 0;
    uint32_t *base = words + (size_t)blockIdx.x * (1 << 18);

    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        if (warp == 0 && leader) {
            store(base + i * 32, i);
            if (second < 0) {
                wait_cycles(gap);
                store(base + i * 32 + 1, i);
            }
        } else if (warp == second && leader) {
            wait_cycles(gap);
            store(base + i * 32 + 1, i);
        } else if (warp != second && flood > 0) {
            for (int k = 0; k < flood; k++)
                store(base + 65536 + ((warp * flood + k) & 1023) * 128 + (threadIdx.x & 31) * 4, i);
        }
        wait_cycles(600);
    }
}

/* A transpose as the SDK's naive one: 16 x 16 threads; a warp writes two words into each of 16 sectors. */
__global__ void transpose(uint32_t *to, const uint32_t *from, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    to[(size_t)x * n + y] = from[(size_t)y * n + x];
}

static uint32_t *words;

static void run(const char *name, struct shape s)
{
    printf("LAUNCH stores %s blocks=%d warps=%d count=%d window=%d place=%d lanes=%d lane=%d step=%d gap=%d share=%d\n", name,
           s.blocks, s.warps, s.count, s.window, s.place, s.lanes, s.lane, s.step, s.gap, s.share);
    stores<<<s.blocks, s.warps * 32>>>(words, s);
    finish();
}

static void run_pairs(int blocks, int warps, int second, int gap, int flood)
{
    printf("LAUNCH pairs blocks=%d warps=%d rounds=256 second=%d gap=%d flood=%d\n", blocks, warps, second, gap, flood);
    pairs<<<blocks, warps * 32>>>(words, 256, second, gap, flood);
    finish();
}

static void run_transpose(int width, int height)
{
    printf("LAUNCH transpose blocks=%dx%d n=1024\n", width, height);
    transpose<<<dim3(width, height), dim3(16, 16)>>>(words, words + (1 << 22), 1024);
    finish();
}

int main()
{
    static const int gaps[] = {0, 1, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256};
    int sms = sm_count();

    words = device_words((size_t)1 << 30);
    /* One warp, one lane. */
    run("distinct", {1, 1, 1024, 1024, 32, 1, 0, 0, 0, 0});
    for (int window : {1, 2, 4, 8, 16, 32})
        run("lines", {1, 1, 1024, window, 32, 1, 0, 0, 0, 0});
    run("sectors", {1, 1, 1024, 2, 8, 1, 0, 0, 0, 0});
    run("sectors", {1, 1, 1024, 4, 8, 1, 0, 0, 0, 0});
    run("words-of-a-sector", {1, 1, 1024, 1, 32, 1, 0, 1, 0, 0});
    /* One warp, whole lines and lines by lane. */
    run("whole-line", {1, 1, 1024, 1, 32, 32, 1, 0, 0, 0});
    run("whole-lines", {1, 1, 1024, 2, 32, 32, 1, 0, 0, 0});
    run("whole-lines", {1, 1, 1024, 4, 32, 32, 1, 0, 0, 0});
    run("distinct-lines", {1, 1, 1024, 1024, 32, 32, 1, 0, 0, 0});
    for (int lanes : {2, 4, 8, 16, 32})
        run("columns", {1, 1, 1024, 1, 32, lanes, 32, 1, 0, 0});
    /* Warps of one SM that share their places. */
    for (int warps : {2, 4, 8, 16, 32}) {
        for (int window : {1, 2, 8})
            run("warps", {1, warps, 512, window, 32, 1, 0, 0, 0, 1});
        for (int lanes : {2, 4, 8, 16, 32})
            run("warps-columns", {1, warps, 256, 1, 32, lanes, 32, 1, 0, 1});
        run("warps-whole-line", {1, warps, 256, 1, 32, 32, 1, 0, 0, 1});
    }
    /* All SMs. */
    for (int share : {0, 1, 2}) {
        run("all", {sms, 1, 512, 1, 32, 1, 0, 0, 0, share});
        run("all", {sms, 8, 256, 1, 32, 1, 0, 0, 0, share});
        run("all", {sms, 8, 256, 8, 32, 1, 0, 0, 0, share});
    }
    run("all-lines", {sms, 8, 256, 256, 32, 32, 1, 0, 0, 0});
    run("all-columns", {sms, 8, 128, 1, 32, 32, 32, 1, 0, 0});
    run("all-columns", {sms, 8, 128, 1, 32, 32, 32, 1, 0, 1});
    run("all-columns", {sms, 8, 128, 1, 1024, 16, 1024, 1, 0, 1});
    /* Two stores to a sector, so many cycles apart: one warp; two of different schedulers; two of one scheduler. */
    for (int second : {-1, 1, 4})
        for (int gap : gaps)
            run_pairs(1, 8, second, gap, 0);
    for (int flood : {1, 4, 16})
        for (int gap : {0, 16, 64, 128})
            run_pairs(1, 8, 1, gap, flood), run_pairs(sms, 8, 1, gap, flood);
    for (int size : {1, 4, 16, 64})
        run_transpose(size, size == 1 ? 1 : 64);
    /* One store of each warp, 16 warps a block: bfs' flag. */
    run("flag", {sms, 16, 1, 1, 32, 1, 0, 0, 0, 2});
    run("flag", {sms * 4, 16, 1, 1, 32, 1, 0, 0, 0, 2});
    run("flag", {1, 32, 1, 1, 32, 1, 0, 0, 0, 2});
    return 0;
}
