// __half and __half2: 16-bit floats in memory, 32-bit arithmetic rounded after every operation (right for + - * / sqrt).

struct __half {
    uint16_t bits;
    __half() = default;
    __half(float value) {
        const _Float16 half = static_cast<_Float16>(value);
        memcpy(&bits, &half, sizeof bits);
    }
    __half(double value) : __half(to_half(value)) {}
    __half(int value) : __half(static_cast<double>(value)) {}
    __half(unsigned int value) : __half(static_cast<double>(value)) {}
    __half(short value) : __half(static_cast<float>(value)) {}
    __half(unsigned short value) : __half(static_cast<float>(value)) {}
    __half(long value) : __half(static_cast<double>(value)) {}
    __half(unsigned long value) : __half(static_cast<double>(value)) {}
    __half(long long value) : __half(static_cast<double>(value)) {}
    __half(unsigned long long value) : __half(static_cast<double>(value)) {}
    operator float() const {
        _Float16 half;
        memcpy(&half, &bits, sizeof half);
        return static_cast<float>(half);
    }
    __half& operator+=(__half other) { return *this = __half(float(*this) + float(other)); }
    __half& operator-=(__half other) { return *this = __half(float(*this) - float(other)); }
    __half& operator*=(__half other) { return *this = __half(float(*this) * float(other)); }
    __half& operator/=(__half other) { return *this = __half(float(*this) / float(other)); }
    __half& operator++() { return *this += __half(1.0f); }
    __half& operator--() { return *this -= __half(1.0f); }

  private:
    static __half to_half(double value) {
        const _Float16 half = static_cast<_Float16>(value);
        __half result;
        memcpy(&result.bits, &half, sizeof half);
        return result;
    }
};
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half a, __half b) : x(a), y(b) {}
};

#define SLIMGRAD_HALF_OPERATOR(op)                                                                 \
    static inline __half operator op(__half a, __half b) { return __half(float(a) op float(b)); }
SLIMGRAD_HALF_OPERATOR(+)
SLIMGRAD_HALF_OPERATOR(-)
SLIMGRAD_HALF_OPERATOR(*)
SLIMGRAD_HALF_OPERATOR(/)
#define SLIMGRAD_HALF_COMPARISON(op)                                                               \
    static inline bool operator op(__half a, __half b) { return float(a) op float(b); }
SLIMGRAD_HALF_COMPARISON(==)
SLIMGRAD_HALF_COMPARISON(!=)
SLIMGRAD_HALF_COMPARISON(<)
SLIMGRAD_HALF_COMPARISON(<=)
SLIMGRAD_HALF_COMPARISON(>)
SLIMGRAD_HALF_COMPARISON(>=)
static inline __half operator-(__half a) {
    a.bits ^= 0x8000;
    return a;
}
static inline __half operator+(__half a) { return a; }

static inline float __half2float(__half a) { return a; }
static inline __half __float2half(float a) { return a; }
static inline __half __float2half_rn(float a) { return a; }
static inline __half __double2half(double a) { return a; }
static inline unsigned short __half_as_ushort(__half a) { return a.bits; }
static inline short __half_as_short(__half a) { return static_cast<short>(a.bits); }
static inline __half __ushort_as_half(unsigned short bits) {
    __half result;
    result.bits = bits;
    return result;
}
static inline __half __short_as_half(short bits) { return __ushort_as_half(static_cast<unsigned short>(bits)); }
#define SLIMGRAD_HALF_TO_INTEGER(name, T)                                                          \
    static inline T __half2##name##_rz(__half a) { return static_cast<T>(float(a)); }              \
    static inline __half __##name##2half_rn(T a) { return a; }
SLIMGRAD_HALF_TO_INTEGER(int, int)
SLIMGRAD_HALF_TO_INTEGER(uint, unsigned int)
SLIMGRAD_HALF_TO_INTEGER(short, short)
SLIMGRAD_HALF_TO_INTEGER(ushort, unsigned short)
SLIMGRAD_HALF_TO_INTEGER(ll, long long)
SLIMGRAD_HALF_TO_INTEGER(ull, unsigned long long)

#define SLIMGRAD_HALF_FUNCTION(name, function)                                                     \
    static inline __half name(__half a) { return __half(function(float(a))); }
SLIMGRAD_HALF_FUNCTION(hceil, ceilf)
SLIMGRAD_HALF_FUNCTION(hfloor, floorf)
SLIMGRAD_HALF_FUNCTION(hrint, rintf)
SLIMGRAD_HALF_FUNCTION(htrunc, truncf)
SLIMGRAD_HALF_FUNCTION(hsin, sinf)
SLIMGRAD_HALF_FUNCTION(hcos, cosf)
SLIMGRAD_HALF_FUNCTION(hexp, expf)
SLIMGRAD_HALF_FUNCTION(hexp2, exp2f)
SLIMGRAD_HALF_FUNCTION(hlog, logf)
SLIMGRAD_HALF_FUNCTION(hlog2, log2f)
SLIMGRAD_HALF_FUNCTION(hlog10, log10f)
SLIMGRAD_HALF_FUNCTION(hsqrt, sqrtf)
SLIMGRAD_HALF_FUNCTION(hrsqrt, 1.0f / sqrtf)
SLIMGRAD_HALF_FUNCTION(hrcp, 1.0f / float)
SLIMGRAD_HALF_FUNCTION(__habs, fabsf)
SLIMGRAD_HALF_FUNCTION(__hneg, -float)
static inline __half __hadd(__half a, __half b) { return a + b; }
static inline __half __hsub(__half a, __half b) { return a - b; }
static inline __half __hmul(__half a, __half b) { return a * b; }
static inline __half __hdiv(__half a, __half b) { return a / b; }
static inline __half __hmin(__half a, __half b) { return fminf(a, b); }
static inline __half __hmax(__half a, __half b) { return fmaxf(a, b); }
static inline __half __hfma(__half a, __half b, __half c) { return __half(double(float(a)) * float(b) + float(c)); }
static inline bool __hisnan(__half a) { return isnan(float(a)); }
static inline int __hisinf(__half a) { return isinf(float(a)); }

static inline __half2 make_half2(__half a, __half b) { return {a, b}; }
static inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
static inline __half2 __half2half2(__half a) { return {a, a}; }
static inline __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline float __low2float(__half2 a) { return a.x; }
static inline float __high2float(__half2 a) { return a.y; }
static inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
static inline __half2 __hadd2(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
static inline __half2 __hsub2(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
static inline __half2 __hmul2(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
static inline __half2 __h2div(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
static inline __half2 __hneg2(__half2 a) { return {-a.x, -a.y}; }
