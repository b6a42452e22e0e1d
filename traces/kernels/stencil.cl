/* One step of the 5-point Jacobi stencil on a grid with a frame of halo. */
__kernel void stencil(__global const float *in, __global float *out, int pitch)
{
    int x = get_global_id(0) + 1;
    int y = get_global_id(1) + 1;
    int i = y * pitch + x;
    float west = in[i - 1];
    float east = in[i + 1];
    float north = in[i - pitch];
    float south = in[i + pitch];
    out[i] = 0.2f * (in[i] + west + east + north + south);
}
