/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rodinia's bfs, a level a launch, over the graph that the traces hold (graph.py), whole and without some of its stores;
 * and atax's second kernel. With a second argument L2 has the data.
 */
#include "micro.h"
#include <vector>
struct Node { int starting, no_of_edges; };
#define MAX 512
__global__ void Kernel(Node *g_graph_nodes, int *g_graph_edges, bool *g_graph_mask, bool *g_updating_graph_mask,
                       bool *g_graph_visited, int *g_cost, int no_of_nodes)
{
    int tid = blockIdx.x * MAX + threadIdx.x;
    if (tid < no_of_nodes && g_graph_mask[tid]) {
        g_graph_mask[tid] = false;
        for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
            int id = g_graph_edges[i];
            if (!g_graph_visited[id]) {
                g_cost[id] = g_cost[tid] + 1;
                g_updating_graph_mask[id] = true;
            }
        }
    }
}
/* As Kernel, with the stores that WHAT has bits for: 1 mask, 2 cost, 4 updating. */
template <int WHAT>
__global__ void Part(const Node *nodes, const int *edges, bool *mask, bool *updating, const bool *visited, const int *cost, int n,
                     int *cost_out, bool *mask_out)
{
    int tid = blockIdx.x * MAX + threadIdx.x, sum = 0;
    if (tid < n && load_byte(mask + tid)) {
        if (WHAT & 1)
            store_byte(mask_out + tid, 0);
        const uint32_t *node = (const uint32_t *)(nodes + tid);
        int count = load(node + 1);
        if (count > 0)
            for (int first = load(node), i = first; ; ) {
                int id = load((const uint32_t *)edges + i);
                if (!load_byte(visited + id)) {
                    int c = load((const uint32_t *)cost + tid) + 1;
                    if (WHAT & 2)
                        store((uint32_t *)cost_out + id, c);
                    else
                        sum += c;
                    if (WHAT & 4)
                        store_byte(updating + id, 1);
                }
                int k = load(node + 1), f = load(node);
                if (++i >= k + f)
                    break;
            }
        if (sum == 0x7fffffff)
            *mask_out = true;
    }
}
__global__ void Kernel2(bool *g_graph_mask, bool *g_updating_graph_mask, bool *g_graph_visited, bool *g_over, int no_of_nodes)
{
    int tid = blockIdx.x * MAX + threadIdx.x;
    if (tid < no_of_nodes && g_updating_graph_mask[tid]) {
        g_graph_mask[tid] = true;
        g_graph_visited[tid] = true;
        *g_over = true;
        g_updating_graph_mask[tid] = false;
    }
}
__global__ void atax2(const float *A, float *y, const float *tmp, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        float sum = 0;
        for (int i = 0; i < nx; i++)
            sum += A[(size_t)i * ny + j] * tmp[i];
        y[j] = sum;
    }
}

struct Graph {
    std::vector<Node> nodes;
    std::vector<int> edges;
    std::vector<unsigned char> level;
    int count(void) const { return (int)nodes.size(); }
};

template <typename T> static bool read_all(std::vector<T> &items, int count, FILE *from)
{
    items.resize(count);
    return fread(items.data(), sizeof(T), count, from) == (size_t)count;
}

static bool read_graph(Graph &graph, const char *path)
{
    FILE *file = fopen(path, "rb");
    int counts[2];
    if (!file)
        return false;
    bool whole = fread(counts, sizeof(int), 2, file) == 2 && read_all(graph.nodes, counts[0], file) &&
                 read_all(graph.edges, counts[1], file) && read_all(graph.level, counts[0], file);
    fclose(file);
    return whole;
}

static bool warmed;
static char *nodes_room, *arrays; /* the edges, and behind them the other arrays as they lie in the traces */
#define ARRAYS_WORDS ((size_t)1 << 19) /* to the end of `over`: what sweeps bring to L2 */
#define MASK ((bool *)(arrays + 0x180e00))
#define UPDATING ((bool *)(arrays + 0x190e00))
#define VISITED ((bool *)(arrays + 0x1a0e00))
#define COST ((int *)(arrays + 0x1b0e00))
#define OVER ((bool *)(arrays + 0x1f0e00))

template <typename T> static void put(void *at, const std::vector<T> &items)
{
    CHECK(cudaMemcpy(at, items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice));
}

/* What the arrays hold before the launch of level `now`. */
static void put_level(const Graph &graph, int now)
{
    const int n = graph.count();
    std::vector<char> mask(n), visited(n);
    std::vector<int> cost(n);
    for (int i = 0; i < n; i++) {
        mask[i] = graph.level[i] == now;
        visited[i] = graph.level[i] <= now;
        cost[i] = visited[i] ? graph.level[i] : -1;
    }
    put(MASK, mask);
    put(VISITED, visited);
    put(UPDATING, std::vector<char>(n, 0));
    put(COST, cost);
    if (warmed) {
        sweep<<<264, 512>>>((uint32_t *)nodes_room, (size_t)1 << 17);
        sweep<<<264, 512>>>((uint32_t *)arrays, ARRAYS_WORDS);
    }
    CHECK(cudaDeviceSynchronize());
}

/* How many nodes the launch has found, and how many the next level has. */
static void print_found(const Graph &graph, int now)
{
    std::vector<char> updating(graph.count());
    int found = 0, wanted = 0;
    CHECK(cudaMemcpy(updating.data(), UPDATING, updating.size(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < graph.count(); i++) {
        found += updating[i];
        wanted += graph.level[i] == now + 1;
    }
    printf("next %d of %d\n", found, wanted);
}

static void run_whole(const Graph &graph, int level)
{
    put_level(graph, level);
    printf("LAUNCH bfs level=%d\n", level);
    Kernel<<<128, 512>>>((Node *)nodes_room, (int *)arrays, MASK, UPDATING, VISITED, COST, graph.count());
    finish();
    print_found(graph, level);
    if (warmed)
        sweep<<<264, 512>>>((uint32_t *)arrays, ARRAYS_WORDS);
    printf("LAUNCH second level=%d\n", level);
    Kernel2<<<128, 512>>>(MASK, UPDATING, VISITED, OVER, graph.count());
    finish();
}

/* A part's stores go to the arrays that the kernel reads, or, with `elsewhere`, to others. */
template <int WHAT> static void run_part(const Graph &graph, int level, bool elsewhere = false)
{
    int *cost_out = elsewhere ? (int *)(arrays + 0x800000) : COST;
    bool *updating_out = elsewhere ? (bool *)(arrays + 0xc00000) : UPDATING;
    bool *mask_out = elsewhere ? updating_out + 65536 : MASK;
    put_level(graph, level);
    printf("LAUNCH %s%d level=%d\n", elsewhere ? "own" : "part", WHAT, level);
    Part<WHAT><<<128, 512>>>((Node *)nodes_room, (int *)arrays, MASK, updating_out, VISITED, COST, graph.count(), cost_out, mask_out);
    finish();
}

static void run_atax(void)
{
    float *A = (float *)device_words((size_t)1 << 23), *tmp = (float *)device_words(1 << 21), *y = tmp + 65536;
    for (int i = 0; i < 2; i++) {
        if (warmed)
            sweep<<<264, 512>>>((uint32_t *)A, (size_t)1 << 21);
        printf("LAUNCH atax2\n");
        atax2<<<2, 256>>>(A, y, tmp + 512, 2048, 512);
        finish();
    }
}

int main(int argc, char **argv)
{
    Graph graph;
    if (argc < 2 || !read_graph(graph, argv[1]))
        return 1;
    warmed = argc > 2;
    nodes_room = (char *)device_words((size_t)1 << 21);
    arrays = (char *)device_words((size_t)1 << 24);
    put(nodes_room, graph.nodes);
    put(arrays, graph.edges);
    for (int level : {0, 5, 6, 7, 8}) {
        run_whole(graph, level);
        run_part<0>(graph, level);
        run_part<1>(graph, level);
        run_part<2>(graph, level);
        run_part<4>(graph, level);
        run_part<6>(graph, level);
        run_part<7>(graph, level);
        run_part<7>(graph, level, true);
    }
    run_atax();
    return 0;
}
