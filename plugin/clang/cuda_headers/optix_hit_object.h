// Hit objects: a ray's hit that is shaded later, or sorted first.
#pragma once

#include "optix_types.h"

#pragma clang force_cuda_host_device begin

template <typename... Payload>
void optixTraverse(OptixTraversableHandle, float3 origin, float3 direction, float tmin, float tmax,
                   float time, OptixVisibilityMask, unsigned int flags, unsigned int sbt_offset,
                   unsigned int sbt_stride, unsigned int miss_index, Payload&...);
template <typename... Payload>
void optixTraverse(OptixPayloadTypeID, OptixTraversableHandle, float3 origin, float3 direction,
                   float tmin, float tmax, float time, OptixVisibilityMask, unsigned int flags,
                   unsigned int sbt_offset, unsigned int sbt_stride, unsigned int miss_index,
                   Payload&...);
template <typename... Payload> void optixInvoke(Payload&...);
template <typename... Payload> void optixInvoke(OptixPayloadTypeID, Payload&...);
void optixReorder();
void optixReorder(unsigned int hint, unsigned int bits);

void optixMakeHitObject(OptixTraversableHandle, float3 origin, float3 direction, float tmin,
                        float time, unsigned int flags, OptixTraverseData,
                        const OptixTraversableHandle* transforms, unsigned int transform_count);
void optixMakeMissHitObject(unsigned int miss_index, float3 origin, float3 direction, float tmin,
                            float tmax, float time, unsigned int flags);
void optixMakeNopHitObject();

bool optixHitObjectIsHit();
bool optixHitObjectIsMiss();
bool optixHitObjectIsNop();
unsigned int optixHitObjectGetAttribute_0();
unsigned int optixHitObjectGetAttribute_1();
unsigned int optixHitObjectGetAttribute_2();
unsigned int optixHitObjectGetAttribute_3();
unsigned int optixHitObjectGetAttribute_4();
unsigned int optixHitObjectGetAttribute_5();
unsigned int optixHitObjectGetAttribute_6();
unsigned int optixHitObjectGetAttribute_7();
unsigned int optixHitObjectGetClusterId();
unsigned int optixHitObjectGetHitKind();
unsigned int optixHitObjectGetInstanceId();
unsigned int optixHitObjectGetInstanceIndex();
unsigned int optixHitObjectGetPrimitiveIndex();
unsigned int optixHitObjectGetRayFlags();
unsigned int optixHitObjectGetSbtGASIndex();
unsigned int optixHitObjectGetSbtRecordIndex();
void optixHitObjectSetSbtRecordIndex(unsigned int);
CUdeviceptr optixHitObjectGetSbtDataPointer();
float optixHitObjectGetRayTime();
float optixHitObjectGetRayTmax();
float optixHitObjectGetRayTmin();
float3 optixHitObjectGetWorldRayDirection();
float3 optixHitObjectGetWorldRayOrigin();
void optixHitObjectGetTraverseData(OptixTraverseData*);
void optixHitObjectGetLinearCurveVertexData(float4 data[2]);
void optixHitObjectGetSphereData(float4 data[1]);
void optixHitObjectGetObjectToWorldTransformMatrix(float matrix[12]);
void optixHitObjectGetWorldToObjectTransformMatrix(float matrix[12]);
unsigned int optixHitObjectGetTransformListSize();
OptixTraversableHandle optixHitObjectGetTransformListHandle(unsigned int);

#pragma clang force_cuda_host_device end
