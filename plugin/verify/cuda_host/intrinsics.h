// Arithmetic and bit intrinsics of CUDA. The fast ones (`__sinf`) are as exact as the others here.

template <class To, class From> static inline To slimgrad_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "a reinterpretation keeps the size");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline int __float_as_int(float a) { return slimgrad_bits<int>(a); }
static inline unsigned int __float_as_uint(float a) { return slimgrad_bits<unsigned int>(a); }
static inline float __int_as_float(int a) { return slimgrad_bits<float>(a); }
static inline float __uint_as_float(unsigned int a) { return slimgrad_bits<float>(a); }
static inline long long __double_as_longlong(double a) { return slimgrad_bits<long long>(a); }
static inline double __longlong_as_double(long long a) { return slimgrad_bits<double>(a); }
static inline int __double2loint(double a) { return static_cast<int>(slimgrad_bits<uint64_t>(a)); }
static inline int __double2hiint(double a) { return static_cast<int>(slimgrad_bits<uint64_t>(a) >> 32); }
static inline double __hiloint2double(int high, int low) {
    return slimgrad_bits<double>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low));
}

static inline int __ffs(int a) { return __builtin_ffs(a); }
static inline int __ffsll(long long a) { return __builtin_ffsll(a); }
static inline int __popc(unsigned int a) { return __builtin_popcount(a); }
static inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(a)); }
static inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a)); }
static inline unsigned long long __brevll(unsigned long long a) {
    unsigned long long result = 0;
    for (int i = 0; i < 64; ++i, a >>= 1)
        result = result << 1 | (a & 1);
    return result;
}
static inline unsigned int __brev(unsigned int a) { return static_cast<unsigned int>(__brevll(a) >> 32); }
static inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>(static_cast<uint64_t>(a) * b >> 32);
}
static inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<int64_t>(a) * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
static inline long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}

static inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
static inline double rsqrt(double a) { return 1.0 / sqrt(a); }
static inline float rsqrt(float a) { return rsqrtf(a); }
static inline float __saturatef(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }
// The C library declares these names for itself.
#define __sinf(a) sinf(a)
#define __cosf(a) cosf(a)
#define __tanf(a) tanf(a)
#define __expf(a) expf(a)
#define __exp10f(a) powf(10.0f, a)
#define __logf(a) logf(a)
#define __log2f(a) log2f(a)
#define __log10f(a) log10f(a)
#define __powf(a, b) powf(a, b)
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __frsqrt_rn(float a) { return rsqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
#define SLIMGRAD_MIN_MAX(T)                                                                        \
    static inline T min(T a, T b) { return b < a ? b : a; }                                        \
    static inline T max(T a, T b) { return a < b ? b : a; }
SLIMGRAD_MIN_MAX(int)
SLIMGRAD_MIN_MAX(unsigned int)
SLIMGRAD_MIN_MAX(long)
SLIMGRAD_MIN_MAX(unsigned long)
SLIMGRAD_MIN_MAX(long long)
SLIMGRAD_MIN_MAX(unsigned long long)
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }

template <class T> static inline T __ldg(const T* address) { return *address; }
template <class T> static inline T __ldcg(const T* address) { return *address; }
template <class T> static inline T __ldca(const T* address) { return *address; }
template <class T> static inline T __ldcs(const T* address) { return *address; }

// The same in every run.
static inline long long clock64() { return 0; }
static inline long clock() { return 0; }
static inline unsigned long long __nanotimer() { return 0; }
static inline void __nanosleep(unsigned int) {}
static inline void __trap() { __builtin_trap(); }
