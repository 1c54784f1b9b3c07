// Cooperative vectors: small matrix products of a whole warp.
#pragma once

#include "optix_types.h"

enum OptixCoopVecElemType {
    OPTIX_COOP_VEC_ELEM_TYPE_UNKNOWN,
    OPTIX_COOP_VEC_ELEM_TYPE_FLOAT16,
    OPTIX_COOP_VEC_ELEM_TYPE_FLOAT32,
    OPTIX_COOP_VEC_ELEM_TYPE_UINT8,
    OPTIX_COOP_VEC_ELEM_TYPE_INT8,
    OPTIX_COOP_VEC_ELEM_TYPE_UINT32,
    OPTIX_COOP_VEC_ELEM_TYPE_INT32,
    OPTIX_COOP_VEC_ELEM_TYPE_FLOAT8_E4M3,
    OPTIX_COOP_VEC_ELEM_TYPE_FLOAT8_E5M2,
};

enum OptixCoopVecMatrixLayout {
    OPTIX_COOP_VEC_MATRIX_LAYOUT_ROW_MAJOR,
    OPTIX_COOP_VEC_MATRIX_LAYOUT_COLUMN_MAJOR,
    OPTIX_COOP_VEC_MATRIX_LAYOUT_INFERENCING_OPTIMAL,
    OPTIX_COOP_VEC_MATRIX_LAYOUT_TRAINING_OPTIMAL,
};

#pragma clang force_cuda_host_device begin

template <typename T, unsigned int N> class OptixCoopVec {
  public:
    static const unsigned int size = N;
    using value_type = T;

    OptixCoopVec();
    OptixCoopVec(const T&);
    const T& operator[](unsigned int) const;
    T& operator[](unsigned int);

  private:
    T elements[N];
};

template <typename Vector> Vector optixCoopVecLoad(CUdeviceptr);
template <typename Vector, typename T> Vector optixCoopVecLoad(T*);
#define SLIMGRAD_COOPERATIVE_UNARY(name) template <typename Vector> Vector name(const Vector&);
#define SLIMGRAD_COOPERATIVE_BINARY(name)                                                          \
    template <typename Vector> Vector name(const Vector&, const Vector&);                          \
    template <typename Vector> Vector name(const Vector&, typename Vector::value_type);
SLIMGRAD_COOPERATIVE_UNARY(optixCoopVecExp2)
SLIMGRAD_COOPERATIVE_UNARY(optixCoopVecLog2)
SLIMGRAD_COOPERATIVE_UNARY(optixCoopVecTanh)
SLIMGRAD_COOPERATIVE_BINARY(optixCoopVecAdd)
SLIMGRAD_COOPERATIVE_BINARY(optixCoopVecSub)
SLIMGRAD_COOPERATIVE_BINARY(optixCoopVecMul)
SLIMGRAD_COOPERATIVE_BINARY(optixCoopVecMax)
SLIMGRAD_COOPERATIVE_BINARY(optixCoopVecMin)
SLIMGRAD_COOPERATIVE_BINARY(optixCoopVecStep)
#undef SLIMGRAD_COOPERATIVE_UNARY
#undef SLIMGRAD_COOPERATIVE_BINARY
template <typename Vector> Vector optixCoopVecFFMA(const Vector&, const Vector&, const Vector&);
template <typename To, typename From> To optixCoopVecCvt(const From&);
template <typename Vector> void optixCoopVecReduceSumAccumulate(const Vector&, CUdeviceptr,
                                                                unsigned int offset);
template <typename A, typename B,
          OptixCoopVecMatrixLayout = OPTIX_COOP_VEC_MATRIX_LAYOUT_TRAINING_OPTIMAL>
void optixCoopVecOuterProductAccumulate(const A&, const B&, CUdeviceptr, unsigned int offset,
                                        unsigned int stride = 0);

template <typename Out, typename In, OptixCoopVecElemType input, OptixCoopVecMatrixLayout layout,
          bool transposed, unsigned int rows, unsigned int columns, OptixCoopVecElemType element,
          OptixCoopVecElemType bias_element>
Out optixCoopVecMatMul(const In&, CUdeviceptr matrix, unsigned int matrix_offset, CUdeviceptr bias,
                       unsigned int bias_offset, unsigned int stride = 0);
template <typename Out, typename In, OptixCoopVecElemType input, OptixCoopVecMatrixLayout layout,
          bool transposed, unsigned int rows, unsigned int columns, OptixCoopVecElemType element>
Out optixCoopVecMatMul(const In&, CUdeviceptr matrix, unsigned int matrix_offset,
                       unsigned int stride = 0);

#pragma clang force_cuda_host_device end
