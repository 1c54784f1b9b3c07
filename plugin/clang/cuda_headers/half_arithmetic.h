// What __half and __nv_bfloat16 have in common: arithmetic, comparison, mathematics, loads and
// warp operations on one value and on a pair. Included by the headers of the two types.
#pragma once

/// How a type of 16 bits turns into and comes from other numbers: as float does, but for double.
#define SLIMGRAD_HALF_MEMBERS(name, other)                                                         \
  protected:                                                                                       \
    unsigned short bits;                                                                           \
                                                                                                   \
  public:                                                                                          \
    name() = default;                                                                              \
    constexpr name(const name##_raw&);                                                             \
    explicit name(const other);                                                                    \
    name(float);                                                                                   \
    name(double);                                                                                  \
    name(short);                                                                                   \
    name(unsigned short);                                                                          \
    name(int);                                                                                     \
    name(unsigned int);                                                                            \
    name(long);                                                                                    \
    name(unsigned long);                                                                           \
    name(long long);                                                                               \
    name(unsigned long long);                                                                      \
    operator name##_raw() const;                                                                   \
    operator name##_raw() const volatile;                                                          \
    operator float() const;                                                                        \
    operator signed char() const;                                                                  \
    operator unsigned char() const;                                                                \
    operator char() const;                                                                         \
    operator short() const;                                                                        \
    operator unsigned short() const;                                                               \
    operator int() const;                                                                          \
    operator unsigned int() const;                                                                 \
    operator long() const;                                                                         \
    operator unsigned long() const;                                                                \
    operator long long() const;                                                                    \
    operator unsigned long long() const;                                                           \
    constexpr operator bool() const;                                                               \
    name& operator=(const name##_raw&);                                                            \
    volatile name& operator=(const name##_raw&) volatile;                                          \
    volatile name& operator=(const volatile name##_raw&) volatile;                                 \
    name& operator=(float);                                                                        \
    name& operator=(double);                                                                       \
    name& operator=(short);                                                                        \
    name& operator=(unsigned short);                                                               \
    name& operator=(int);                                                                          \
    name& operator=(unsigned int);                                                                 \
    name& operator=(long long);                                                                    \
    name& operator=(unsigned long long);

#define SLIMGRAD_PAIR_MEMBERS(pair, half)                                                          \
    half x;                                                                                        \
    half y;                                                                                        \
    pair() = default;                                                                              \
    constexpr pair(const half& x, const half& y);                                                  \
    pair(const pair&);                                                                             \
    pair(const pair&&);                                                                            \
    pair(const pair##_raw&);                                                                       \
    pair& operator=(const pair&);                                                                  \
    pair& operator=(const pair&&);                                                                 \
    pair& operator=(const pair##_raw&);                                                            \
    operator pair##_raw() const;

/// Operators of a type; `truth` is what a comparison gives.
#define SLIMGRAD_HALF_OPERATORS(type)                                                              \
    type operator+(const type&, const type&);                                                      \
    type operator-(const type&, const type&);                                                      \
    type operator*(const type&, const type&);                                                      \
    type operator/(const type&, const type&);                                                      \
    type& operator+=(type&, const type&);                                                          \
    type& operator-=(type&, const type&);                                                          \
    type& operator*=(type&, const type&);                                                          \
    type& operator/=(type&, const type&);                                                          \
    type& operator++(type&);                                                                       \
    type& operator--(type&);                                                                       \
    type operator++(type&, int);                                                                   \
    type operator--(type&, int);                                                                   \
    type operator+(const type&);                                                                   \
    type operator-(const type&);                                                                   \
    bool operator==(const type&, const type&);                                                     \
    bool operator!=(const type&, const type&);                                                     \
    bool operator>(const type&, const type&);                                                      \
    bool operator<(const type&, const type&);                                                      \
    bool operator>=(const type&, const type&);                                                     \
    bool operator<=(const type&, const type&);

#define SLIMGRAD_HALF_COMPARISONS(half, pair, name)                                                \
    bool __h##name(half, half);                                                                    \
    bool __h##name##u(half, half);                                                                 \
    pair __h##name##2(pair, pair);                                                                 \
    pair __h##name##u2(pair, pair);                                                                \
    bool __hb##name##2(pair, pair);                                                                \
    bool __hb##name##u2(pair, pair);                                                               \
    unsigned int __h##name##2_mask(pair, pair);                                                    \
    unsigned int __h##name##u2_mask(pair, pair);

/// h<name> of one, h2<name> of a pair.
#define SLIMGRAD_HALF_UNARY(half, pair, name)                                                      \
    half h##name(half);                                                                            \
    pair h2##name(pair);
#define SLIMGRAD_HALF_BINARY(half, pair, name)                                                     \
    half __h##name(half, half);                                                                    \
    half __h##name##_rn(half, half);                                                               \
    half __h##name##_sat(half, half);                                                              \
    pair __h##name##2(pair, pair);                                                                 \
    pair __h##name##2_rn(pair, pair);                                                              \
    pair __h##name##2_sat(pair, pair);
#define SLIMGRAD_HALF_EXTREMUM(half, pair, name)                                                   \
    half __h##name(half, half);                                                                    \
    half __h##name##_nan(half, half);                                                              \
    pair __h##name##2(pair, pair);                                                                 \
    pair __h##name##2_nan(pair, pair);

#define SLIMGRAD_HALF_ARITHMETIC(half, pair)                                                       \
    SLIMGRAD_HALF_BINARY(half, pair, add)                                                          \
    SLIMGRAD_HALF_BINARY(half, pair, sub)                                                          \
    SLIMGRAD_HALF_BINARY(half, pair, mul)                                                          \
    SLIMGRAD_HALF_EXTREMUM(half, pair, max)                                                        \
    SLIMGRAD_HALF_EXTREMUM(half, pair, min)                                                        \
    half __hdiv(half, half);                                                                       \
    pair __h2div(pair, pair);                                                                      \
    half __hfma(half, half, half);                                                                 \
    half __hfma_sat(half, half, half);                                                             \
    half __hfma_relu(half, half, half);                                                            \
    pair __hfma2(pair, pair, pair);                                                                \
    pair __hfma2_sat(pair, pair, pair);                                                            \
    pair __hfma2_relu(pair, pair, pair);                                                           \
    pair __hcmadd(pair, pair, pair);                                                               \
    half __habs(half);                                                                             \
    half __hneg(half);                                                                             \
    pair __habs2(pair);                                                                            \
    pair __hneg2(pair);                                                                            \
    bool __hisnan(half);                                                                           \
    int __hisinf(half);                                                                            \
    pair __hisnan2(pair);                                                                          \
    pair __lowhigh2highlow(pair);                                                                  \
    float __low2float(pair);                                                                       \
    float __high2float(pair);                                                                      \
    SLIMGRAD_HALF_COMPARISONS(half, pair, eq)                                                      \
    SLIMGRAD_HALF_COMPARISONS(half, pair, ne)                                                      \
    SLIMGRAD_HALF_COMPARISONS(half, pair, le)                                                      \
    SLIMGRAD_HALF_COMPARISONS(half, pair, ge)                                                      \
    SLIMGRAD_HALF_COMPARISONS(half, pair, lt)                                                      \
    SLIMGRAD_HALF_COMPARISONS(half, pair, gt)                                                      \
    SLIMGRAD_HALF_UNARY(half, pair, trunc)                                                         \
    SLIMGRAD_HALF_UNARY(half, pair, ceil)                                                          \
    SLIMGRAD_HALF_UNARY(half, pair, floor)                                                         \
    SLIMGRAD_HALF_UNARY(half, pair, rint)                                                          \
    SLIMGRAD_HALF_UNARY(half, pair, sqrt)                                                          \
    SLIMGRAD_HALF_UNARY(half, pair, rsqrt)                                                         \
    SLIMGRAD_HALF_UNARY(half, pair, rcp)                                                           \
    SLIMGRAD_HALF_UNARY(half, pair, log)                                                           \
    SLIMGRAD_HALF_UNARY(half, pair, log2)                                                          \
    SLIMGRAD_HALF_UNARY(half, pair, log10)                                                         \
    SLIMGRAD_HALF_UNARY(half, pair, exp)                                                           \
    SLIMGRAD_HALF_UNARY(half, pair, exp2)                                                          \
    SLIMGRAD_HALF_UNARY(half, pair, exp10)                                                         \
    SLIMGRAD_HALF_UNARY(half, pair, cos)                                                           \
    SLIMGRAD_HALF_UNARY(half, pair, sin)                                                           \
    SLIMGRAD_HALF_UNARY(half, pair, tanh)                                                          \
    SLIMGRAD_HALF_UNARY(half, pair, tanh_approx)

/// <from>2<name> and <name>2<from> with a rounding, for every integer type.
#define SLIMGRAD_HALF_INTEGER(half, name, type, from)                                              \
    type __##name##2##from##_rd(half);                                                             \
    type __##name##2##from##_rn(half);                                                             \
    type __##name##2##from##_ru(half);                                                             \
    type __##name##2##from##_rz(half);                                                             \
    half __##from##2##name##_rd(type);                                                             \
    half __##from##2##name##_rn(type);                                                             \
    half __##from##2##name##_ru(type);                                                             \
    half __##from##2##name##_rz(type);
#define SLIMGRAD_HALF_CONVERSIONS(half, pair, name)                                                \
    SLIMGRAD_HALF_INTEGER(half, name, short, short)                                                \
    SLIMGRAD_HALF_INTEGER(half, name, unsigned short, ushort)                                      \
    SLIMGRAD_HALF_INTEGER(half, name, int, int)                                                    \
    SLIMGRAD_HALF_INTEGER(half, name, unsigned int, uint)                                          \
    SLIMGRAD_HALF_INTEGER(half, name, long long, ll)                                               \
    SLIMGRAD_HALF_INTEGER(half, name, unsigned long long, ull)                                     \
    signed char __##name##2char_rz(half);                                                          \
    unsigned char __##name##2uchar_rz(half);                                                       \
    half __float2##name(float);                                                                    \
    half __float2##name##_rd(float);                                                               \
    half __float2##name##_rn(float);                                                               \
    half __float2##name##_ru(float);                                                               \
    half __float2##name##_rz(float);                                                               \
    half __double2##name(double);                                                                  \
    float __##name##2float(half);                                                                  \
    short __##name##_as_short(half);                                                               \
    unsigned short __##name##_as_ushort(half);                                                     \
    half __short_as_##name(short);                                                                 \
    half __ushort_as_##name(unsigned short);                                                       \
    pair __float2##name##2_rn(float);                                                              \
    pair __floats2##name##2_rn(float, float);                                                      \
    pair __float22##name##2_rn(float2);                                                            \
    float2 __##name##22float2(pair);                                                               \
    pair __##name##2##name##2(half);                                                               \
    pair __halves2##name##2(half, half);                                                           \
    pair make_##name##2(half, half);                                                               \
    half __low2##name(pair);                                                                       \
    half __high2##name(pair);                                                                      \
    pair __low2##name##2(pair);                                                                    \
    pair __high2##name##2(pair);                                                                   \
    pair __lows2##name##2(pair, pair);                                                             \
    pair __highs2##name##2(pair, pair);
