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

// Functions and methods, those aside that `families` tell.
constexpr std::string_view functions = R"(
Abort AcceptHit AcceptHitAndEndSearch AllMemoryBarrier AllMemoryBarrierWithGroupSync
AllMemoryBarrierWithWaveMaskSync AllMemoryBarrierWithWaveSync Append BlockSize
CalculateLevelOfDetail CalculateLevelOfDetailUnclamped CallShader CandidateClusterID
CandidateIsNonOpaqueLssNV CandidateIsNonOpaqueSphereNV CandidateLssHitParameterNV
CandidateLssObjectPositionsAndRadiiNV CandidateProceduralPrimitiveNonOpaque
CandidateRayBarycentrics CandidateRayFrontFace CandidateRayGeometryIndex
CandidateRayInstanceCustomIndex CandidateRayInstanceId
CandidateRayInstanceShaderBindingTableRecordOffset CandidateRayObjectRayDirection
CandidateRayObjectRayOrigin CandidateRayObjectToWorld CandidateRayPrimitiveIndex
CandidateRayWorldToObject CandidateSphereObjectPositionAndRadiusNV CandidateTriangleRayT
CandidateType CheckAccessFullyMapped ClampValue Clip CommitNonOpaqueTriangleHit
CommitProceduralPrimitiveHit CommittedClusterID CommittedIsLssNV CommittedIsSphereNV
CommittedLssHitParameterNV CommittedLssObjectPositionsAndRadiiNV CommittedRayBarycentrics
CommittedRayFrontFace CommittedRayGeometryIndex CommittedRayInstanceCustomIndex
CommittedRayInstanceId CommittedRayInstanceShaderBindingTableRecordOffset
CommittedRayObjectRayDirection CommittedRayObjectRayOrigin CommittedRayObjectToWorld
CommittedRayPrimitiveIndex CommittedRayT CommittedRayWorldToObject
CommittedSphereObjectPositionAndRadiusNV CommittedStatus Consume D3DCOLORtoUBYTE4 Decrement
DecrementCounter DeviceMemoryBarrier DeviceMemoryBarrierWithGroupSync Dimension DispatchMesh
DispatchRaysDimensions DispatchRaysIndex Emit EvaluateAttributeAtCentroid
EvaluateAttributeAtSample EvaluateAttributeSnapped FromRayQuery GeometryIndex Get
GetAttributeAtVertex GetAttributes GetBufferPointer GetClusterID GetColumnCount GetCurrentTime
GetDimensions GetGeometryIndex GetHitKind GetInstanceID GetInstanceIndex GetInstanceTraversable
GetLength GetLssPositionsAndRadii GetObjectRayDirection GetObjectRayOrigin GetObjectToWorld
GetObjectToWorld3x4 GetObjectToWorld4x3 GetPrimitiveIndex GetRayDesc GetRayFlags GetRayTCurrent
GetRayTMin GetRenderTargetSampleCount GetRenderTargetSamplePosition GetRowCount
GetSamplePosition GetShaderRecordBufferHandle GetShaderTableIndex GetSpherePositionAndRadius
GetTransformListHandle GetTransformListSize GetTraversableChild GetTraversableInstanceId
GetTraversableObjectToWorld GetTraversableTransformType GetTraversableWorldToObject
GetWorldRayDirection GetWorldRayOrigin GetWorldToObject GetWorldToObject3x4 GetWorldToObject4x3
GroupMemoryBarrier GroupMemoryBarrierWithGroupSync GroupMemoryBarrierWithWaveMaskSync
GroupMemoryBarrierWithWaveSync HitKind HitTriangleVertexPosition IgnoreHit Increment
IncrementCounter InstanceID InstanceIndex Invoke IsHelperLane IsHit IsLssHit IsMiss IsNop
IsSphereHit Load Load2 Load2Aligned Load3 Load3Aligned Load4 Load4Aligned LoadAligned
LoadByteOffset LoadLocalRootTableConstant MakeHit MakeMiss MakeMotionHit MakeMotionMiss MakeNop
MapElement MaybeReorderThread NonUniformResourceIndex ObjectRayDirection ObjectRayOrigin
ObjectToWorld ObjectToWorld3x4 ObjectToWorld4x3 PrimitiveIndex Proceed
Process2DQuadTessFactorsAvg Process2DQuadTessFactorsMax Process2DQuadTessFactorsMin
ProcessIsolineTessFactors ProcessQuadTessFactorsAvg ProcessQuadTessFactorsMax
ProcessQuadTessFactorsMin ProcessTriTessFactorsAvg ProcessTriTessFactorsMax
ProcessTriTessFactorsMin RayCurrentTime RayFlags RayTCurrent RayTMin Reduce2x2 ReorderThread
ReportHit ReportHitOptix RestartStrip Sample SampleBias SampleCmp SampleCmpBias SampleCmpGrad
SampleCmpLevel SampleCmpLevelZero SampleGrad SampleLevel SampleLevelZero SetMeshOutputCounts
SetShaderTableIndex Slice Store Store2 Store2Aligned Store3 Store3Aligned Store4 Store4Aligned
StoreAligned StoreByteOffset Stride SubpassLoad TraceMotionRay TraceRay TraceRayInline Transpose
WorkgroupCount WorkgroupSize WorldRayDirection WorldRayOrigin WorldToObject WorldToObject3x4
WorldToObject4x3 WriteSamplerFeedback WriteSamplerFeedbackBias WriteSamplerFeedbackGrad
WriteSamplerFeedbackLevel _NvInterlockedAddFp16x2 _WaveCountBits _metalSetVertex _setVertex
_slang_candidate_intersection_type_to_uint _slang_committed_intersection_type_to_uint
_slang_intersection_params_to_ray_flags _slang_rayQueryGetCandidateLssPositionsAndRadii
_slang_rayQueryGetCommittedLssPositionsAndRadii _slang_ray_flags_to_intersection_params abort
abs acos acosh add all alloc and any asDynamicUniform asOpaqueDescriptor asdouble asfloat
asfloat16 asin asinh asint asint16 assert asuint asuint16 atan atan2 atanh barrier
beginInvocationInterlock bitAnd bitNot bitOr bitXor bit_cast bitfieldExtract bitfieldInsert ceil
clamp clear clip clock clock2x32ARB clockARB compareExchange concat coopVecLoad
coopVecLoadCoherent coopVecLoadGroupshared coopVecMatMul coopVecMatMulAdd coopVecMatMulAddPacked
coopVecMatMulPacked coopVecOuterProductAccumulate coopVecReduceSumAccumulate copyFrom copysign
copysign_double copysign_float copysign_half cos cosh cospi countbits createDynamicObject cross
cudaBlockDim cudaBlockIdx cudaThreadIdx dadd data_ptr data_ptr_at ddx ddx_coarse ddx_fine ddy
ddy_coarse ddy_fine debugBreak decrement defaultGetDescriptorFromHandle degrees detach
determinant diffPair dims distance div divide dmul dot dot2add dot4add_i8packed dot4add_u8packed
dst dzero emptyLike enableVMMDeviceScopeCapabilityIfNeeded endInvocationInterlock equals
exchange exp exp10 exp2 f16tof32 f32tof16 f32tof16_ fabs faceforward fdim fill fillValue
fillZero firstbithigh firstbitlow floatCast floor fma fmax fmax3 fmedian3 fmin fmin3 fmod frac
fract frexp fromUInt fwidth fwidth_coarse fwidth_fine get getBuffer getCount
getDescriptorFromHandle getDifferential getLength getPi getPrimal getRealtimeClock
getRealtimeClockLow getStringHash getView increment isValid isfinite isinf isnan ldexp length
lerp lessThan lessThanOrEquals lit load loadAligned loadAny loadCoherent loadOnce
loadOnce_backward loadOnce_forward load_backward load_forward log log10 log2 mad makeArray
makeArrayFromElement makeTuple matMulAccum matMulAccumPacked matMulAddAccum matMulAddAccumPacked
max max3 median3 min min3 mod modf msad4 mul neg nextafter nonuniform normalize not or
packHalf2x16 packInt4x8 packInt4x8Clamp packSnorm2x16 packSnorm4x8 packUint4x8 packUint4x8Clamp
packUnorm2x16 packUnorm4x8 pack_clamp_s8 pack_clamp_u8 pack_s8 pack_u8 pow powr printf radians
rcp reduceAdd reduceAnd reduceDec reduceInc reduceMax reduceMin reduceOr reduceSub reduceXor
reflect refract reinterpret replicate reversebits rint round rsqrt saturate
saturated_cooperation saturated_cooperation_using scale select set shader_subgroup_preamble shl
shr sign sin sincos sinh sinpi size smoothstep sqrt static_assert step store storeAligned
storeAny storeCoherent storeOnce storeOnce_backward storeOnce_forward store_backward
store_forward stride sub syncThreads syncTorchCudaStream tan tanh tanpi textureTypeInfo toFloat
toInt toInt64 toUInt toUInt64 transpose trunc unmodified unpackHalf2x16ToFloat
unpackHalf2x16ToHalf unpackInt4x8ToInt16 unpackInt4x8ToInt32 unpackSnorm2x16ToFloat
unpackSnorm2x16ToHalf unpackSnorm4x8ToFloat unpackSnorm4x8ToHalf unpackUint4x8ToUint16
unpackUint4x8ToUint32 unpackUnorm2x16ToFloat unpackUnorm2x16ToHalf unpackUnorm4x8ToFloat
unpackUnorm4x8ToHalf unpack_s8s16 unpack_s8s32 unpack_u8u16 unpack_u8u32 unused updateDiff
updatePair updatePrimal workgroupUniformLoad xor zerosLike
)";

constexpr std::array<std::string_view, 6> function_families{"Wave",   "Quad",     "Interlocked",
                                                            "Gather", "subgroup", "atomic"};

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

constexpr std::array<std::string_view, 5> type_families{"Texture", "RWTexture", "WTexture",
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
    return is_known(name, names, function_families);
}

bool is_core_type(std::string_view name) {
    static const Names names = words(types);
    return is_known(name, names, type_families);
}

} // namespace slimgrad
