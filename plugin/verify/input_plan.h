#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// How a scalar in memory is read and written.
enum class ScalarKind {
    boolean,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    half,
    float32,
    float64,
    word
};
// `word` is 32 bits of a byte-address buffer: filled as a float32, compared as one where it looks
// like one.

std::uint32_t size_of(ScalarKind kind);
bool is_floating(ScalarKind kind);

/// Which values a scalar takes over the samples. minimum > maximum: unit normal.
struct Distribution {
    double minimum = 1, maximum = 0;
    std::vector<double> first; ///< values that the first samples take, in turn; may be empty

    bool normal() const { return minimum > maximum; }
};

/// How inputs without a range are drawn.
struct DefaultInputs {
    Distribution floats;
    double smallest_integer = 0;        ///< 1 for kernels that divide by one
    std::uint32_t rows = 1, layers = 1; ///< thread groups in y and z
};

/// A scalar at a fixed place of a block or of a buffer's element.
struct ScalarSlot {
    std::string name; ///< "params.count"; within a buffer's element: "" or ".mass"
    std::uint64_t offset = 0;
    ScalarKind kind = ScalarKind::float32;
    Distribution values;
};

/// One scalar of one element that differs from the rest of its buffer.
struct ElementValues {
    std::uint64_t element = 0;
    std::uint32_t slot = 0;
    Distribution values;
};

/// Memory that a kernel reads or writes by index: a buffer, a tensor's or a texture's elements.
struct BufferPlan {
    std::string name;
    std::uint64_t elements = 0;
    std::uint64_t stride = 0;
    bool writable = false;
    std::vector<ScalarSlot> slots;
    std::vector<ElementValues> exceptions;
};

enum class HandleForm {
    pointer_and_count, ///< (RW)StructuredBuffer: {T* data; size_t elements}
    pointer_and_bytes, ///< (RW)ByteAddressBuffer: {uint32_t* data; size_t bytes}
    pointer,           ///< T*
};

struct BufferHandle {
    std::uint64_t offset = 0;
    std::uint32_t buffer = 0;
    HandleForm form = HandleForm::pointer_and_count;
};

constexpr std::size_t most_dimensions = 5; ///< of a tensor

/// TensorView of Slang's CUDA prelude: where it stands in a block, its elements, its shape. Strides
/// are in bytes. The gradient half of a DiffTensorView is a tensor of its own.
struct TensorHandle {
    std::uint64_t offset = 0;
    std::uint32_t buffer = 0;
    std::vector<std::uint32_t> sizes, strides;
};

/// A texture or surface of the CUDA target: an object handle in a block, its texels in a buffer,
/// x fastest. `sizes` are width, height, depth or layers, as many as it has.
struct TextureHandle {
    std::uint64_t offset = 0;
    std::uint32_t buffer = 0;
    std::vector<std::uint32_t> sizes;
};

struct BlockPointer {
    std::uint64_t offset = 0;
    std::uint32_t block = 0;
};

/// Uniform memory: the globals, the entry point's parameters, a constant buffer.
struct BlockPlan {
    std::uint64_t bytes = 0;
    std::vector<ScalarSlot> slots;
    std::vector<BlockPointer> blocks;
    std::vector<BufferHandle> buffers;
    std::vector<TensorHandle> tensors;
    std::vector<TextureHandle> textures;
    /// Of the entry point's parameters, on the cuda machine: to be compared with the compiler's.
    std::vector<std::uint64_t> offsets;
};

/// What a library was compiled from: it decides how its kernels are called.
enum class Machine { cpp, cuda };

/// Moves the floating-point scalars of one input along a direction that depends on the seed, the
/// sample and the name: value + size * InputValues::direction. For central differences.
struct InputStep {
    std::string name; ///< of a buffer, tensor or scalar
    double size = 0;
};

/// One of several runs of each sample: what it changes beside what the plan changes in all.
struct InputRound {
    std::map<std::string, std::vector<double>> fixed;
    std::vector<InputStep> steps;
};

/// Everything slimgrad-run needs to call an entry point: what lies where and which values it gets.
/// Values depend on the seed, the sample, the name and the element alone, so that two variants of a
/// kernel and a later run of one sample see the same.
struct InputPlan {
    std::uint64_t seed = 1;
    Machine machine = Machine::cpp;
    std::array<std::uint32_t, 3> groups{1, 1, 1};  ///< thread groups (blocks) of the launch
    std::vector<std::uint32_t> only_group;         ///< of them this one alone runs; empty: all
    std::array<std::uint32_t, 3> threads{1, 1, 1}; ///< of a group; the cuda machine's block
    std::vector<BlockPlan> blocks;                 ///< [0]: globals, [1]: entry-point parameters
    std::vector<BufferPlan> buffers;
    /// If not empty: sample i takes these values by name, and zero where it names none. A buffer's
    /// are its scalars in order.
    std::vector<std::map<std::string, std::vector<double>>> given;
    /// Values that replace those drawn, in every sample: a buffer's are its first scalars in order.
    std::map<std::string, std::vector<double>> fixed;
    std::vector<InputStep> steps;
    /// If not empty: every sample runs once for each, from the same values.
    std::vector<InputRound> rounds;
    /// Buffers that may alias (tensors, pointers, buffers of the entry point's parameters) and hold
    /// elements of one type share the memory of the first of them.
    bool overlapped = false;
    /// Groups and their threads run in the order opposite to the usual one, which changes from
    /// sample to sample, and groupshared memory starts with zeros; cuda machine only.
    bool reversed = false;
    /// That no loop makes more than, told to kernels whose checkpoints are in a heap; ~0: not known.
    std::uint64_t checkpoint_trips = ~0ull;
    std::vector<std::string> unused_ranges; ///< names under [inputs] that are no input of this
                                            ///< entry point; not for the runner
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Distribution, minimum, maximum, first)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScalarSlot, name, offset, kind, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ElementValues, element, slot, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BufferPlan, name, elements, stride, writable, slots, exceptions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BufferHandle, offset, buffer, form)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockPointer, offset, block)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorHandle, offset, buffer, sizes, strides)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextureHandle, offset, buffer, sizes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputStep, name, size)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputRound, fixed, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockPlan, bytes, slots, blocks, buffers, tensors, textures,
                                   offsets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputPlan, seed, machine, groups, only_group, threads, blocks,
                                   buffers, given, fixed, steps, rounds, overlapped, reversed,
                                   checkpoint_trips)

/// Whether the bits are a floating-point value. The word of a byte-address buffer is one if it
/// looks like one and not like an integer or a piece of something: of the many NaNs only the one
/// that arithmetic makes counts, the others are small negative integers.
bool holds_float(std::uint64_t bits, ScalarKind kind);
/// The value that bits stand for, as a double (64-bit integers beyond 2^53 are rounded).
double value_of_bits(std::uint64_t bits, ScalarKind kind);
/// The bits nearest to a value.
std::uint64_t bits_of_value(double value, ScalarKind kind);

} // namespace slimgrad::verify
