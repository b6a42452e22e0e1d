/*
 * Breadth-first search, level by level: a launch per level, a thread per node.
 * Nodes of the frontier hand the next level to neighbours that have none yet
 * (or a higher one).
 */
__global__ void bfs_level(const int *row, const int *edge, int *level, int n,
                          int current)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < n && level[node] == current) {
        int end = row[node + 1];
        for (int e = row[node]; e < end; e++) {
            int next = edge[e];
            if (level[next] > current + 1) {
                level[next] = current + 1;
            }
        }
    }
}
