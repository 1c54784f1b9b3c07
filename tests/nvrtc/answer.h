template <class T> struct Answer { static __device__ T value(T x) { return x * T(42); } };
