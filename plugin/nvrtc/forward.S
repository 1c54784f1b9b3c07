// The functions that are passed on, whatever their arguments are: each asks `slimgrad_nvrtc_target` (forward.cpp) where
// to go and which program to name there, and jumps with all other arguments, those on the stack too, as they came.

    .text
    .set index, 0

    .macro forward name
    .globl \name
    .type \name, @function
\name:
    endbr64
    movl $index, %r11d
    jmp slimgrad_nvrtc_forward
    .size \name, . - \name
    .set index, index + 1
    .endm

    .macro skip
    .set index, index + 1
    .endm

#define OWN(name) skip
#define PROGRAM(name) forward name
#define PLAIN(name) forward name
#include "plugin/nvrtc/functions.def"

    .hidden slimgrad_nvrtc_forward
    .type slimgrad_nvrtc_forward, @function
slimgrad_nvrtc_forward:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    subq $136, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    movq %rdi, %rsi
    movl %r11d, %edi
    call slimgrad_nvrtc_target
    movq %rax, %r11
    movq %rdx, -8(%rbp)
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $136, %rsp
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size slimgrad_nvrtc_forward, . - slimgrad_nvrtc_forward

    .section .note.GNU-stack, "", @progbits
