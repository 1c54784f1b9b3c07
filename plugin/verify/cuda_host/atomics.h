// Atomic functions: one thread runs at a time and none is interrupted, so they are plain. The machine is told, to
// tell them from plain accesses.

/// Integers may be locks and counters, by which threads wait for each other.
template <class T> static inline T slimgrad_atomic(const T* address, T old) {
    slimgrad_machine.atomic(address, sizeof(T), &old, std::numeric_limits<T>::is_integer);
    return old;
}

#define SLIMGRAD_ATOMIC(name, T, expression)                                                       \
    static inline T atomic##name(T* address, T value) {                                            \
        const T old = *address;                                                                    \
        *address = expression;                                                                     \
        return slimgrad_atomic(address, old);                                                      \
    }
#define SLIMGRAD_ATOMIC_ARITHMETIC(T)                                                              \
    SLIMGRAD_ATOMIC(Add, T, old + value)                                                           \
    SLIMGRAD_ATOMIC(Exch, T, value)
#define SLIMGRAD_ATOMIC_INTEGER(T)                                                                 \
    SLIMGRAD_ATOMIC_ARITHMETIC(T)                                                                  \
    SLIMGRAD_ATOMIC(Sub, T, old - value)                                                           \
    SLIMGRAD_ATOMIC(Min, T, value < old ? value : old)                                             \
    SLIMGRAD_ATOMIC(Max, T, old < value ? value : old)                                             \
    SLIMGRAD_ATOMIC(And, T, old & value)                                                           \
    SLIMGRAD_ATOMIC(Or, T, old | value)                                                            \
    SLIMGRAD_ATOMIC(Xor, T, old ^ value)                                                           \
    static inline T atomicCAS(T* address, T compare, T value) {                                    \
        const T old = *address;                                                                    \
        if (old == compare)                                                                        \
            *address = value;                                                                      \
        return slimgrad_atomic(address, old);                                                      \
    }
SLIMGRAD_ATOMIC_INTEGER(int)
SLIMGRAD_ATOMIC_INTEGER(unsigned int)
SLIMGRAD_ATOMIC_INTEGER(unsigned long long)
SLIMGRAD_ATOMIC(Min, long long, value < old ? value : old)
SLIMGRAD_ATOMIC(Max, long long, old < value ? value : old)
SLIMGRAD_ATOMIC(Min, long, value < old ? value : old)
SLIMGRAD_ATOMIC(Max, long, old < value ? value : old)
SLIMGRAD_ATOMIC(And, long long, old & value)
SLIMGRAD_ATOMIC(Or, long long, old | value)
SLIMGRAD_ATOMIC(Xor, long long, old ^ value)
SLIMGRAD_ATOMIC(And, long, old & value)
SLIMGRAD_ATOMIC(Or, long, old | value)
SLIMGRAD_ATOMIC(Xor, long, old ^ value)
SLIMGRAD_ATOMIC_ARITHMETIC(float)
SLIMGRAD_ATOMIC_ARITHMETIC(double)
SLIMGRAD_ATOMIC_ARITHMETIC(__half)
static inline __half2 atomicAdd(__half2* address, __half2 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
static inline float2 atomicAdd(float2* address, float2 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
static inline float4 atomicAdd(float4* address, float4 value) {
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
            atomicAdd(&address->w, value.w)};
}
static inline unsigned int atomicInc(unsigned int* address, unsigned int limit) {
    const unsigned int old = *address;
    *address = old >= limit ? 0 : old + 1;
    return slimgrad_atomic(address, old);
}
static inline unsigned int atomicDec(unsigned int* address, unsigned int limit) {
    const unsigned int old = *address;
    *address = old == 0 || old > limit ? limit : old - 1;
    return slimgrad_atomic(address, old);
}
