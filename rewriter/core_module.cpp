#include "rewriter/core_module.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace slimgrad {

namespace {

using Names = std::unordered_set<std::string_view>;

Names words(std::string_view text) {
    Names names;
    constexpr std::string_view space = " \n";
    for (std::size_t begin = text.find_first_not_of(space); begin != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(space, begin), text.size());
        names.insert(text.substr(begin, end - begin));
        begin = text.find_first_not_of(space, end);
    }
    return names;
}

// Functions, those aside that `function_families` tell.
constexpr std::string_view functions = R"(
AcceptHitAndEndSearch AllMemoryBarrier AllMemoryBarrierWithGroupSync
AllMemoryBarrierWithWaveMaskSync AllMemoryBarrierWithWaveSync CallShader CheckAccessFullyMapped
D3DCOLORtoUBYTE4 DeviceMemoryBarrier DeviceMemoryBarrierWithGroupSync DispatchMesh
DispatchRaysDimensions DispatchRaysIndex EvaluateAttributeAtCentroid EvaluateAttributeAtSample
EvaluateAttributeSnapped GeometryIndex GetAttributeAtVertex GetClusterID GetInstanceTraversable
GetLssPositionsAndRadii GetRenderTargetSampleCount GetRenderTargetSamplePosition
GetSpherePositionAndRadius GetTransformListHandle GetTransformListSize GetTraversableChild
GetTraversableInstanceId GetTraversableObjectToWorld GetTraversableTransformType
GetTraversableWorldToObject GroupMemoryBarrier GroupMemoryBarrierWithGroupSync
GroupMemoryBarrierWithWaveMaskSync GroupMemoryBarrierWithWaveSync HitKind
HitTriangleVertexPosition IgnoreHit InstanceID InstanceIndex IsHelperLane IsLssHit IsSphereHit
MaybeReorderThread NonUniformResourceIndex ObjectRayDirection ObjectRayOrigin ObjectToWorld
ObjectToWorld3x4 ObjectToWorld4x3 PrimitiveIndex Process2DQuadTessFactorsAvg
Process2DQuadTessFactorsMax Process2DQuadTessFactorsMin ProcessIsolineTessFactors
ProcessQuadTessFactorsAvg ProcessQuadTessFactorsMax ProcessQuadTessFactorsMin
ProcessTriTessFactorsAvg ProcessTriTessFactorsMax ProcessTriTessFactorsMin RayCurrentTime
RayFlags RayTCurrent RayTMin ReorderThread ReportHit ReportHitOptix SetMeshOutputCounts
TraceMotionRay TraceRay WorkgroupCount WorkgroupSize WorldRayDirection WorldRayOrigin
WorldToObject WorldToObject3x4 WorldToObject4x3 _WaveCountBits abort abs acos acosh alignof all
and any asDynamicUniform asdouble asfloat asfloat16 asin asinh asint asint16 asuint asuint16
atan atan2 atanh beginInvocationInterlock bit_cast bitfieldExtract bitfieldInsert ceil clamp
clip clock2x32ARB clockARB concat coopVecLoad coopVecLoadCoherent coopVecLoadGroupshared
coopVecMatMul coopVecMatMulAdd coopVecMatMulAddPacked coopVecMatMulPacked
coopVecOuterProductAccumulate coopVecReduceSumAccumulate copysign copysign_double copysign_float
copysign_half cos cosh cospi countbits countof createDynamicObject cross cudaBlockDim
cudaBlockIdx cudaThreadIdx ddx ddx_coarse ddx_fine ddy ddy_coarse ddy_fine debugBreak
defaultGetDescriptorFromHandle degrees detach determinant diffPair distance divide dot dot2add
dot4add_i8packed dot4add_u8packed dst enableVMMDeviceScopeCapabilityIfNeeded
endInvocationInterlock exp exp10 exp2 f16tof32 f32tof16 f32tof16_ fabs faceforward fdim
firstbithigh firstbitlow floatCast floor fma fmax fmax3 fmedian3 fmin fmin3 fmod frac fract
frexp fwidth fwidth_coarse fwidth_fine getDescriptorFromHandle getRealtimeClock
getRealtimeClockLow getStringHash isfinite isinf isnan ldexp length lerp lit loadAligned
loadCoherent log log10 log2 mad makeArrayFromElement makeTuple max max3 median3 min min3 modf
msad4 mul nextafter nonuniform normalize or packHalf2x16 packInt4x8 packInt4x8Clamp
packSnorm2x16 packSnorm4x8 packUint4x8 packUint4x8Clamp packUnorm2x16 packUnorm4x8 pack_clamp_s8
pack_clamp_u8 pack_s8 pack_u8 pow powr printf radians rcp reflect refract reinterpret
reversebits rint round rsqrt saturate saturated_cooperation saturated_cooperation_using select
shader_subgroup_preamble sign sin sincos sinh sinpi sizeof smoothstep sqrt static_assert step
storeAligned storeCoherent syncTorchCudaStream tan tanh tanpi transpose trunc unmodified
unpackHalf2x16ToFloat unpackHalf2x16ToHalf unpackInt4x8ToInt16 unpackInt4x8ToInt32
unpackSnorm2x16ToFloat unpackSnorm2x16ToHalf unpackSnorm4x8ToFloat unpackSnorm4x8ToHalf
unpackUint4x8ToUint16 unpackUint4x8ToUint32 unpackUnorm2x16ToFloat unpackUnorm2x16ToHalf
unpackUnorm4x8ToFloat unpackUnorm4x8ToHalf unpack_s8s16 unpack_s8s32 unpack_u8u16 unpack_u8u32
unused updateDiff updatePair updatePrimal workgroupUniformLoad
)";

constexpr std::array<std::string_view, 5> function_families{"Wave", "Quad", "Interlocked",
                                                            "subgroup", "atomic"};

// What the core module's types have beside functions of the same names.
constexpr std::string_view methods = R"(
Abort AcceptHit Append BlockSize CalculateLevelOfDetail CalculateLevelOfDetailUnclamped
CandidateClusterID CandidateIsNonOpaqueLssNV CandidateIsNonOpaqueSphereNV
CandidateLssHitParameterNV CandidateLssObjectPositionsAndRadiiNV
CandidateProceduralPrimitiveNonOpaque CandidateRayBarycentrics CandidateRayFrontFace
CandidateRayGeometryIndex CandidateRayInstanceCustomIndex CandidateRayInstanceId
CandidateRayInstanceShaderBindingTableRecordOffset CandidateRayObjectRayDirection
CandidateRayObjectRayOrigin CandidateRayObjectToWorld CandidateRayPrimitiveIndex
CandidateRayWorldToObject CandidateSphereObjectPositionAndRadiusNV CandidateTriangleRayT
CandidateType ClampValue Clip CommitNonOpaqueTriangleHit CommitProceduralPrimitiveHit
CommittedClusterID CommittedIsLssNV CommittedIsSphereNV CommittedLssHitParameterNV
CommittedLssObjectPositionsAndRadiiNV CommittedRayBarycentrics CommittedRayFrontFace
CommittedRayGeometryIndex CommittedRayInstanceCustomIndex CommittedRayInstanceId
CommittedRayInstanceShaderBindingTableRecordOffset CommittedRayObjectRayDirection
CommittedRayObjectRayOrigin CommittedRayObjectToWorld CommittedRayPrimitiveIndex CommittedRayT
CommittedRayWorldToObject CommittedSphereObjectPositionAndRadiusNV CommittedStatus Consume
Decrement DecrementCounter Dimension Emit FromRayQuery Get GetAttributes GetBufferPointer
GetColumnCount GetCurrentTime GetDimensions GetGeometryIndex GetHitKind GetInstanceID
GetInstanceIndex GetLength GetObjectRayDirection GetObjectRayOrigin GetObjectToWorld
GetObjectToWorld3x4 GetObjectToWorld4x3 GetPrimitiveIndex GetRayDesc GetRayFlags GetRayTCurrent
GetRayTMin GetRowCount GetSamplePosition GetShaderRecordBufferHandle GetShaderTableIndex
GetWorldRayDirection GetWorldRayOrigin GetWorldToObject GetWorldToObject3x4 GetWorldToObject4x3
Increment IncrementCounter Invoke IsHit IsMiss IsNop Load Load2 Load2Aligned Load3 Load3Aligned
Load4 Load4Aligned LoadAligned LoadByteOffset LoadLocalRootTableConstant MakeHit MakeMiss
MakeMotionHit MakeMotionMiss MakeNop MapElement Proceed Reduce2x2 RestartStrip Sample SampleBias
SampleCmp SampleCmpBias SampleCmpGrad SampleCmpLevel SampleCmpLevelZero SampleGrad SampleLevel
SampleLevelZero SetShaderTableIndex Slice Store Store2 Store2Aligned Store3 Store3Aligned Store4
Store4Aligned StoreAligned StoreByteOffset Stride SubpassLoad TraceRayInline Transpose
WriteSamplerFeedback WriteSamplerFeedbackBias WriteSamplerFeedbackGrad WriteSamplerFeedbackLevel
_NvInterlockedAddFp16x2 _metalSetVertex _setVertex _slang_candidate_intersection_type_to_uint
_slang_committed_intersection_type_to_uint _slang_intersection_params_to_ray_flags
_slang_rayQueryGetCandidateLssPositionsAndRadii _slang_rayQueryGetCommittedLssPositionsAndRadii
_slang_ray_flags_to_intersection_params add alloc asOpaqueDescriptor assert barrier bitAnd
bitNot bitOr bitXor clear clock compareExchange copyFrom dadd data_ptr data_ptr_at decrement
dims div dmul dzero emptyLike equals exchange fill fillValue fillZero fromUInt get getBuffer
getCount getDifferential getLength getPi getPrimal getView increment isValid lessThan
lessThanOrEquals load loadAny loadOnce loadOnce_backward loadOnce_forward load_backward
load_forward makeArray matMulAccum matMulAccumPacked matMulAddAccum matMulAddAccumPacked mod neg
not reduceAdd reduceAnd reduceDec reduceInc reduceMax reduceMin reduceOr reduceSub reduceXor
replicate scale set shl shr size store storeAny storeOnce storeOnce_backward storeOnce_forward
store_backward store_forward stride sub syncThreads textureTypeInfo toFloat toInt toInt64 toUInt
toUInt64 xor zerosLike
)";

constexpr std::array<std::string_view, 3> method_families{"Gather", "Sample", "Load"};

constexpr std::string_view types = R"(
AddressSpace AppendStructuredBuffer ApplyForBwdFuncType Array Atomic AtomicAdd BFloat16
BindlessDescriptorOptions BorrowInOutParam BorrowInParam Buffer BufferAtomicOps BufferPointer
BuiltInTriangleIntersectionAttributes BwdCallableFuncType BwdDiffFuncType ByteAddressBuffer
CANDIDATE_TYPE CDataLayout COMMITTED_STATUS Conditional ConstBufferPointer ConstantBuffer
ConsumeStructuredBuffer CoopMat CoopMatClampMode CoopMatMatrixLayout CoopMatMatrixUse CoopVec
CoopVecComponentType CoopVecMatrixLayout DefaultDataLayout DefaultPushConstantDataLayout
DefaultVkBindlessBindings DepthTexture DescriptorAccess DescriptorHandle DescriptorKind
DiffTensorView DifferentialPair DifferentialPtrPair DynamicResourceTypeInfo FeedbackTexture2D
FeedbackTexture2DArray FloatE4M3 FloatE5M2 FootprintGranularity FwdDiffFuncType
GLSLShaderStorageBuffer HitObject IArithmetic IArithmeticAtomicable IArray IAtomicable
IBackwardDifferentiable IBitAtomicable IBufferDataLayout IBwdCallable IComparable ICoopElement
IDefaultInitializable IDiffTensorWrapper IDifferentiable IDifferentiableArithmetic
IDifferentiableFunc IDifferentiableMutatingFunc IDifferentiablePtrType IFloat
IFloatingPointCoopElement IForwardDifferentiable IFunc IInteger ILogical IMutatingFunc
IOpaqueDescriptor IPhysicalBuffer IRWArray IRWPhysicalBuffer IRangedValue ITexelElement
ImmutablePtr IncDecOpFixity InputPatch LayoutPtr LineStream MemoryOrder MemoryScope NativeRef
NativeString NullDifferential NullPtr Optional OutParam OutputIndices OutputPatch
OutputPrimitives OutputVertices ParameterBlock PointStream Ptr RAYQUERY_FLAG RAY_FLAG RayDesc
RayQuery RaytracingAccelerationStructure Ref RefParam RematFuncType SAMPLER_FEEDBACK_MIN_MIP
SAMPLER_FEEDBACK_MIP_REGION_USED SamplerComparisonState SamplerState ScalarDataLayout
SideEffectBehavior SlangAtomicOperationInfo Std140DataLayout Std430DataLayout String
StructuredBuffer SubpassInput SubpassInputMS TensorLayout TensorView TorchTensor TriangleStream
Tuple UntypedResourceHandle UntypedSamplerHandle VkMutableBindlessBindings WaveMask string
)";

constexpr std::array<std::string_view, 5> type_families{"Texture", "Sampler", "WTexture",
                                                        "RasterizerOrdered", "RW"};

template <class Families>
bool is_known(std::string_view name, const Names& names, const Families& families) {
    return names.contains(name) ||
           std::any_of(families.begin(), families.end(),
                       [&](std::string_view family) { return name.starts_with(family); });
}

} // namespace

bool is_core_function(std::string_view name) {
    static const Names names = words(functions);
    return name.starts_with("__") || is_known(name, names, function_families);
}

bool is_core_method(std::string_view name) {
    static const Names names = words(methods);
    return is_core_function(name) || is_known(name, names, method_families);
}

bool is_core_type(std::string_view name) {
    static const Names names = words(types);
    return is_known(name, names, type_families);
}

} // namespace slimgrad
