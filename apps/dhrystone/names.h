/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h> /* before its names are replaced */

/* Every name of Dhrystone that others see, and what it uses of the C library, behind the prefix SIDE. */
#define JOIN_(side, name) side##_##name
#define JOIN(side, name) JOIN_(side, name)
#define NAME(name) JOIN(SIDE, name)

#define Arr_1_Glob NAME(Arr_1_Glob)
#define Arr_2_Glob NAME(Arr_2_Glob)
#define Begin_Time NAME(Begin_Time)
#define Bool_Glob NAME(Bool_Glob)
#define Ch_1_Glob NAME(Ch_1_Glob)
#define Ch_2_Glob NAME(Ch_2_Glob)
#define Dhrystones_Per_Second NAME(Dhrystones_Per_Second)
#define End_Time NAME(End_Time)
#define Func_1 NAME(Func_1)
#define Func_2 NAME(Func_2)
#define Func_3 NAME(Func_3)
#define Int_Glob NAME(Int_Glob)
#define Microseconds NAME(Microseconds)
#define Next_Ptr_Glob NAME(Next_Ptr_Glob)
#define Proc_1 NAME(Proc_1)
#define Proc_2 NAME(Proc_2)
#define Proc_3 NAME(Proc_3)
#define Proc_4 NAME(Proc_4)
#define Proc_5 NAME(Proc_5)
#define Proc_6 NAME(Proc_6)
#define Proc_7 NAME(Proc_7)
#define Proc_8 NAME(Proc_8)
#define Ptr_Glob NAME(Ptr_Glob)
#define Reg NAME(Reg)
#define User_Time NAME(User_Time)

/* Only literals are copied, and they lie at words, as with GCC for RISC-V: else it would be luck whether a copy goes
 * word by word, on either side. */
#define strcpy(to, literal)                                           \
  ({                                                                  \
    static const char copied[] __attribute__((aligned(4))) = literal; \
    __builtin_strcpy(to, copied);                                     \
  })

int NAME(printf)(const char *format, ...);
int NAME(scanf)(const char *format, ...);

#define main NAME(main)
/* Both copies lie alike in an instruction cache of 4 KiB, which the benchmark nearly fills. */
int main() __attribute__((aligned(4096)));
#define malloc NAME(malloc)
#define printf NAME(printf)
#define scanf NAME(scanf)
#define time NAME(time)
