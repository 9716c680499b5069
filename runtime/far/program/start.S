  .section .vectors, "ax", @progbits
  .globl cl_start
cl_start:
  li a0, 0
  li a1, 0
  call far_main
  j .
