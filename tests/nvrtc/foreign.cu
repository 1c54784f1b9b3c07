// CUDA that is not Slang's, although it uses its words.
struct s_bwdCallableCtx_f_0 { int SLANG_CUDA_PRELUDE_H; };
#include "answer.h"
#ifndef SCALE
#define SCALE 1
#endif
template <class T> __global__ void scale(T* out, const T* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int unused;
    if (i < n)
        out[i] = Answer<T>::value(in[i]) * T(SCALE);
}
__constant__ float table[16];
