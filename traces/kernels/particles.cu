/*
 * One step of particles, twice: as an array of structures and as a structure
 * of arrays.
 */
struct particle {
    float x, y, z, w;
};

__global__ void step_aos(particle *p, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += dt * p[i].w;
}

__global__ void step_soa(float *x, const float *w, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += dt * w[i];
}
