  .section .vectors, "ax", @progbits
  .fill 0x80, 1, 0
  .globl cl_start
cl_start:
  j .
