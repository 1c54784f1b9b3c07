// Conversions with a rounding, and between a number and its bits.
#pragma once

SLIMGRAD_ROUNDED(float, __double2float, double)
SLIMGRAD_ROUNDED(int, __double2int, double)
SLIMGRAD_ROUNDED(unsigned int, __double2uint, double)
SLIMGRAD_ROUNDED(long long, __double2ll, double)
SLIMGRAD_ROUNDED(unsigned long long, __double2ull, double)
SLIMGRAD_ROUNDED(int, __float2int, float)
SLIMGRAD_ROUNDED(unsigned int, __float2uint, float)
SLIMGRAD_ROUNDED(long long, __float2ll, float)
SLIMGRAD_ROUNDED(unsigned long long, __float2ull, float)
SLIMGRAD_ROUNDED(float, __int2float, int)
SLIMGRAD_ROUNDED(float, __uint2float, unsigned int)
SLIMGRAD_ROUNDED(float, __ll2float, long long)
SLIMGRAD_ROUNDED(float, __ull2float, unsigned long long)
SLIMGRAD_ROUNDED(double, __ll2double, long long)
SLIMGRAD_ROUNDED(double, __ull2double, unsigned long long)
double __int2double_rn(int);
double __uint2double_rn(unsigned int);

int __float_as_int(float);
unsigned int __float_as_uint(float);
float __int_as_float(int);
float __uint_as_float(unsigned int);
long long __double_as_longlong(double);
double __longlong_as_double(long long);
int __double2hiint(double);
int __double2loint(double);
double __hiloint2double(int high, int low);

#undef SLIMGRAD_ROUNDED
