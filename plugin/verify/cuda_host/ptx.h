// PTX in the text: every `asm(...)` of it calls this instead.
//
//     asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(t));
//     slimgrad_ptx("txq.width.b32 %0, [%1];", slimgrad_operand(w), slimgrad_operand(t));

template <class T> struct SlimgradIsFloat { static constexpr bool value = false; };
template <> struct SlimgradIsFloat<float> { static constexpr bool value = true; };
template <> struct SlimgradIsFloat<double> { static constexpr bool value = true; };

template <class T> static inline SlimgradOperand slimgrad_operand(const T& variable) {
    return {const_cast<void*>(static_cast<const void*>(&variable)), sizeof(T), SlimgradIsFloat<T>::value};
}
template <class... O> static inline void slimgrad_ptx(const char* code, const O&... operands) {
    const SlimgradOperand list[] = {operands...};
    slimgrad_machine.ptx(code, list, sizeof...(operands));
}
