/* A function whose arguments go through registers of both kinds and over the stack, under the name of one that NVRTC
 * exports without saying what it takes; with -DCALLER, a program that calls it twice. */

#include <stdio.h>

int __nvrtcCPEx(void* a, long b, int c, double d, const char* e, float f, long g, long h, double i, long j, long k,
                double l, ...);

#ifdef CALLER
int main(void) {
    int local = 0;
    int first = __nvrtcCPEx(&local, -2, 3, 4.5, "five", 6.5f, 7, 8, 9.5, 10, 11, 12.5, 13.5, 14L);
    int second = __nvrtcCPEx(&local, -2, 3, 4.5, "five", 6.5f, 7, 8, 9.5, 10, 11, 12.5, 13.5, 14L);
    printf("%d %d %d\n", first, second, local);
    return first == second && local == 2 ? 0 : 1;
}
#else
#include <stdarg.h>

int __nvrtcCPEx(void* a, long b, int c, double d, const char* e, float f, long g, long h, double i, long j, long k,
                double l, ...) {
    va_list more;
    va_start(more, l);
    const double m = va_arg(more, double);
    const long n = va_arg(more, long);
    va_end(more);
    printf("%ld %d %g %s %g %ld %ld %g %ld %ld %g %g %ld\n", b, c, d, e, (double)f, g, h, i, j, k, l, m, n);
    ++*(int*)a;
    return 17;
}
/* What the shim knows a libnvrtc by. */
int nvrtcCreateProgram(void) { return 1; }
#endif
