// What of C's library device code may call: <stdio.h>, <string.h>, <stdlib.h>, <assert.h>, <time.h>.
#pragma once

extern "C" {
int printf(const char* format, ...);
int vprintf(const char* format, __builtin_va_list arguments);
void* memcpy(void*, const void*, size_t);
void* memmove(void*, const void*, size_t);
void* memset(void*, int, size_t);
int memcmp(const void*, const void*, size_t);
void* malloc(size_t);
void* alloca(size_t);
void free(void*);
long clock();
void __assertfail(const char* condition, const char* file, unsigned int line, const char* function,
                  size_t character_size);
}

namespace std {
using ::free;
using ::malloc;
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
using ::printf;
} // namespace std

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                                                                          \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#endif
