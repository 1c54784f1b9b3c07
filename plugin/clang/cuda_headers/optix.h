// The device functions of OptiX 9 that Slang's text and its prelude call.
#pragma once

#include "optix_types.h"

#include "optix_hit_object.h"

#include "optix_cooperative_vector.h"

#pragma clang force_cuda_host_device begin

template <typename... Payload>
void optixTrace(OptixTraversableHandle, float3 origin, float3 direction, float tmin, float tmax,
                float time, OptixVisibilityMask, unsigned int flags, unsigned int sbt_offset,
                unsigned int sbt_stride, unsigned int miss_index, Payload&...);
template <typename... Payload>
void optixTrace(OptixPayloadTypeID, OptixTraversableHandle, float3 origin, float3 direction,
                float tmin, float tmax, float time, OptixVisibilityMask, unsigned int flags,
                unsigned int sbt_offset, unsigned int sbt_stride, unsigned int miss_index,
                Payload&...);

#define SLIMGRAD_PAYLOAD(n)                                                                        \
    unsigned int optixGetPayload_##n();                                                            \
    void optixSetPayload_##n(unsigned int);
SLIMGRAD_PAYLOAD(0)
SLIMGRAD_PAYLOAD(1)
SLIMGRAD_PAYLOAD(2)
SLIMGRAD_PAYLOAD(3)
SLIMGRAD_PAYLOAD(4)
SLIMGRAD_PAYLOAD(5)
SLIMGRAD_PAYLOAD(6)
SLIMGRAD_PAYLOAD(7)
SLIMGRAD_PAYLOAD(8)
SLIMGRAD_PAYLOAD(9)
SLIMGRAD_PAYLOAD(10)
SLIMGRAD_PAYLOAD(11)
SLIMGRAD_PAYLOAD(12)
SLIMGRAD_PAYLOAD(13)
SLIMGRAD_PAYLOAD(14)
SLIMGRAD_PAYLOAD(15)
SLIMGRAD_PAYLOAD(16)
SLIMGRAD_PAYLOAD(17)
SLIMGRAD_PAYLOAD(18)
SLIMGRAD_PAYLOAD(19)
SLIMGRAD_PAYLOAD(20)
SLIMGRAD_PAYLOAD(21)
SLIMGRAD_PAYLOAD(22)
SLIMGRAD_PAYLOAD(23)
SLIMGRAD_PAYLOAD(24)
SLIMGRAD_PAYLOAD(25)
SLIMGRAD_PAYLOAD(26)
SLIMGRAD_PAYLOAD(27)
SLIMGRAD_PAYLOAD(28)
SLIMGRAD_PAYLOAD(29)
SLIMGRAD_PAYLOAD(30)
SLIMGRAD_PAYLOAD(31)
#undef SLIMGRAD_PAYLOAD
void optixSetPayloadTypes(unsigned int);

unsigned int optixGetAttribute_0();
unsigned int optixGetAttribute_1();
unsigned int optixGetAttribute_2();
unsigned int optixGetAttribute_3();
unsigned int optixGetAttribute_4();
unsigned int optixGetAttribute_5();
unsigned int optixGetAttribute_6();
unsigned int optixGetAttribute_7();
template <typename... Attribute>
bool optixReportIntersection(float t, unsigned int kind, Attribute...);
void optixIgnoreIntersection();
void optixTerminateRay();

uint3 optixGetLaunchIndex();
uint3 optixGetLaunchDimensions();
CUdeviceptr optixGetSbtDataPointer();
unsigned int optixGetSbtGASIndex();

float3 optixGetWorldRayOrigin();
float3 optixGetWorldRayDirection();
float3 optixGetObjectRayOrigin();
float3 optixGetObjectRayDirection();
float optixGetRayTmin();
float optixGetRayTmax();
float optixGetRayTime();
unsigned int optixGetRayFlags();
OptixVisibilityMask optixGetRayVisibilityMask();

unsigned int optixGetPrimitiveIndex();
unsigned int optixGetInstanceId();
unsigned int optixGetInstanceIndex();
unsigned int optixGetClusterId();
unsigned int optixGetHitKind();
bool optixIsFrontFaceHit();
bool optixIsBackFaceHit();
bool optixIsFrontFaceHit(unsigned int kind);
bool optixIsBackFaceHit(unsigned int kind);
bool optixIsTriangleHit();
bool optixIsTriangleFrontFaceHit();
bool optixIsTriangleBackFaceHit();
OptixPrimitiveType optixGetPrimitiveType();
OptixPrimitiveType optixGetPrimitiveType(unsigned int kind);
float2 optixGetTriangleBarycentrics();
float optixGetCurveParameter();

OptixTraversableHandle optixGetGASTraversableHandle();
OptixTraversableHandle optixGetTransformListHandle(unsigned int);
unsigned int optixGetTransformListSize();
void optixGetTriangleVertexData(float3 data[3]);
void optixGetTriangleVertexData(OptixTraversableHandle, unsigned int primitive,
                                unsigned int sbt_index, float time, float3 data[3]);
void optixGetLinearCurveVertexData(float4 data[2]);
void optixGetLinearCurveVertexData(OptixTraversableHandle, unsigned int primitive,
                                   unsigned int sbt_index, float time, float4 data[2]);
void optixGetSphereData(float4 data[1]);
void optixGetSphereData(OptixTraversableHandle, unsigned int primitive, unsigned int sbt_index,
                        float time, float4 data[1]);
void optixGetObjectToWorldTransformMatrix(float matrix[12]);
void optixGetWorldToObjectTransformMatrix(float matrix[12]);
OptixTransformType optixGetTransformTypeFromHandle(OptixTraversableHandle);
unsigned int optixGetInstanceIdFromHandle(OptixTraversableHandle);
OptixTraversableHandle optixGetInstanceChildFromHandle(OptixTraversableHandle);
OptixTraversableHandle optixGetInstanceTraversableFromIAS(OptixTraversableHandle,
                                                          unsigned int instance);
const float4* optixGetInstanceTransformFromHandle(OptixTraversableHandle);
const float4* optixGetInstanceInverseTransformFromHandle(OptixTraversableHandle);
float3 optixTransformPointFromWorldToObjectSpace(float3);
float3 optixTransformPointFromObjectToWorldSpace(float3);
float3 optixTransformVectorFromWorldToObjectSpace(float3);
float3 optixTransformVectorFromObjectToWorldSpace(float3);
float3 optixTransformNormalFromWorldToObjectSpace(float3);
float3 optixTransformNormalFromObjectToWorldSpace(float3);

template <typename Result, typename... Argument>
Result optixDirectCall(unsigned int sbt_index, Argument...);
template <typename Result, typename... Argument>
Result optixContinuationCall(unsigned int sbt_index, Argument...);
template <typename... Detail> void optixThrowException(int code, Detail...);
int optixGetExceptionCode();

#pragma clang force_cuda_host_device end
