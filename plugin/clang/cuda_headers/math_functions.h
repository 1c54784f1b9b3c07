// <math.h> as CUDA has it on the device: each function for double, with an f for float, and
// overloaded for float; rounded arithmetic; the fast functions; min and max.
#pragma once

#define SLIMGRAD_UNARY(name)                                                                       \
    extern "C" double name(double);                                                                \
    extern "C" float name##f(float);                                                               \
    float name(float);
#define SLIMGRAD_BINARY(name)                                                                      \
    extern "C" double name(double, double);                                                        \
    extern "C" float name##f(float, float);                                                        \
    float name(float, float);

SLIMGRAD_UNARY(acos)
SLIMGRAD_UNARY(acosh)
SLIMGRAD_UNARY(asin)
SLIMGRAD_UNARY(asinh)
SLIMGRAD_UNARY(atan)
SLIMGRAD_UNARY(atanh)
SLIMGRAD_UNARY(cbrt)
SLIMGRAD_UNARY(ceil)
SLIMGRAD_UNARY(cos)
SLIMGRAD_UNARY(cosh)
SLIMGRAD_UNARY(cospi)
SLIMGRAD_UNARY(cyl_bessel_i0)
SLIMGRAD_UNARY(cyl_bessel_i1)
SLIMGRAD_UNARY(erf)
SLIMGRAD_UNARY(erfc)
SLIMGRAD_UNARY(erfcinv)
SLIMGRAD_UNARY(erfcx)
SLIMGRAD_UNARY(erfinv)
SLIMGRAD_UNARY(exp)
SLIMGRAD_UNARY(exp10)
SLIMGRAD_UNARY(exp2)
SLIMGRAD_UNARY(expm1)
SLIMGRAD_UNARY(fabs)
SLIMGRAD_UNARY(floor)
SLIMGRAD_UNARY(j0)
SLIMGRAD_UNARY(j1)
SLIMGRAD_UNARY(lgamma)
SLIMGRAD_UNARY(log)
SLIMGRAD_UNARY(log10)
SLIMGRAD_UNARY(log1p)
SLIMGRAD_UNARY(log2)
SLIMGRAD_UNARY(logb)
SLIMGRAD_UNARY(nearbyint)
SLIMGRAD_UNARY(normcdf)
SLIMGRAD_UNARY(normcdfinv)
SLIMGRAD_UNARY(rcbrt)
SLIMGRAD_UNARY(rint)
SLIMGRAD_UNARY(round)
SLIMGRAD_UNARY(rsqrt)
SLIMGRAD_UNARY(sin)
SLIMGRAD_UNARY(sinh)
SLIMGRAD_UNARY(sinpi)
SLIMGRAD_UNARY(sqrt)
SLIMGRAD_UNARY(tan)
SLIMGRAD_UNARY(tanh)
SLIMGRAD_UNARY(tgamma)
SLIMGRAD_UNARY(trunc)
SLIMGRAD_UNARY(y0)
SLIMGRAD_UNARY(y1)

SLIMGRAD_BINARY(atan2)
SLIMGRAD_BINARY(copysign)
SLIMGRAD_BINARY(fdim)
SLIMGRAD_BINARY(fmax)
SLIMGRAD_BINARY(fmin)
SLIMGRAD_BINARY(fmod)
SLIMGRAD_BINARY(hypot)
SLIMGRAD_BINARY(nextafter)
SLIMGRAD_BINARY(pow)
SLIMGRAD_BINARY(remainder)
SLIMGRAD_BINARY(rhypot)

extern "C" {
double fma(double, double, double);
float fmaf(float, float, float);
double frexp(double, int*);
float frexpf(float, int*);
int ilogb(double);
int ilogbf(float);
double jn(int, double);
float jnf(int, float);
double ldexp(double, int);
float ldexpf(float, int);
long long llrint(double);
long long llrintf(float);
long long llround(double);
long long llroundf(float);
long lrint(double);
long lrintf(float);
long lround(double);
long lroundf(float);
double modf(double, double*);
float modff(float, float*);
double nan(const char*);
float nanf(const char*);
double norm(int, const double*);
float normf(int, const float*);
double norm3d(double, double, double);
float norm3df(float, float, float);
double norm4d(double, double, double, double);
float norm4df(float, float, float, float);
double remquo(double, double, int*);
float remquof(float, float, int*);
double rnorm(int, const double*);
float rnormf(int, const float*);
double rnorm3d(double, double, double);
float rnorm3df(float, float, float);
double rnorm4d(double, double, double, double);
float rnorm4df(float, float, float, float);
double scalbln(double, long);
float scalblnf(float, long);
double scalbn(double, int);
float scalbnf(float, int);
void sincos(double, double*, double*);
void sincosf(float, float*, float*);
void sincospi(double, double*, double*);
void sincospif(float, float*, float*);
double yn(int, double);
float ynf(int, float);
float fdividef(float, float);
double fdivide(double, double);
int __signbit(double);
int __signbitf(float);
int __isinf(double);
int __isinff(float);
int __isnan(double);
int __isnanf(float);
int __finite(double);
int __finitef(float);
}

float fma(float, float, float);
float frexp(float, int*);
int ilogb(float);
float ldexp(float, int);
long long llrint(float);
long long llround(float);
long lrint(float);
long lround(float);
float modf(float, float*);
float remquo(float, float, int*);
float scalbln(float, long);
float scalbn(float, int);
void sincos(float, float*, float*);
void sincospi(float, float*, float*);
bool isnan(float);
bool isnan(double);
bool isinf(float);
bool isinf(double);
bool isfinite(float);
bool isfinite(double);
bool isnormal(float);
bool isnormal(double);
bool signbit(float);
bool signbit(double);

extern "C" int abs(int);
extern "C" long labs(long);
extern "C" long long llabs(long long);
long abs(long);
long long abs(long long);
float abs(float);
double abs(double);

#define SLIMGRAD_EXTREMUM(name)                                                                    \
    int name(int, int);                                                                            \
    unsigned int name(unsigned int, unsigned int);                                                 \
    unsigned int name(int, unsigned int);                                                          \
    unsigned int name(unsigned int, int);                                                          \
    long name(long, long);                                                                         \
    unsigned long name(unsigned long, unsigned long);                                              \
    unsigned long name(long, unsigned long);                                                       \
    unsigned long name(unsigned long, long);                                                       \
    long long name(long long, long long);                                                          \
    unsigned long long name(unsigned long long, unsigned long long);                               \
    unsigned long long name(long long, unsigned long long);                                        \
    unsigned long long name(unsigned long long, long long);                                        \
    float name(float, float);                                                                      \
    double name(double, double);                                                                   \
    double name(float, double);                                                                    \
    double name(double, float);
SLIMGRAD_EXTREMUM(min)
SLIMGRAD_EXTREMUM(max)

/// The four roundings of an arithmetic function.
#define SLIMGRAD_ROUNDED(type, name, ...)                                                          \
    type name##_rd(__VA_ARGS__);                                                                   \
    type name##_rn(__VA_ARGS__);                                                                   \
    type name##_ru(__VA_ARGS__);                                                                   \
    type name##_rz(__VA_ARGS__);
SLIMGRAD_ROUNDED(float, __fadd, float, float)
SLIMGRAD_ROUNDED(float, __fsub, float, float)
SLIMGRAD_ROUNDED(float, __fmul, float, float)
SLIMGRAD_ROUNDED(float, __fdiv, float, float)
SLIMGRAD_ROUNDED(float, __fmaf, float, float, float)
SLIMGRAD_ROUNDED(float, __frcp, float)
SLIMGRAD_ROUNDED(float, __fsqrt, float)
SLIMGRAD_ROUNDED(double, __dadd, double, double)
SLIMGRAD_ROUNDED(double, __dsub, double, double)
SLIMGRAD_ROUNDED(double, __dmul, double, double)
SLIMGRAD_ROUNDED(double, __ddiv, double, double)
SLIMGRAD_ROUNDED(double, __fma, double, double, double)
SLIMGRAD_ROUNDED(double, __drcp, double)
SLIMGRAD_ROUNDED(double, __dsqrt, double)
float __frsqrt_rn(float);

float __cosf(float);
float __exp10f(float);
float __expf(float);
float __fdividef(float, float);
float __log10f(float);
float __log2f(float);
float __logf(float);
float __powf(float, float);
float __saturatef(float);
void __sincosf(float, float*, float*);
float __sinf(float);
float __tanf(float);
float __tanhf(float);

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

namespace std {
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::ceil;
using ::cos;
using ::cosh;
using ::exp;
using ::exp2;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log2;
using ::max;
using ::min;
using ::pow;
using ::round;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
} // namespace std

#undef SLIMGRAD_UNARY
#undef SLIMGRAD_BINARY
#undef SLIMGRAD_EXTREMUM
