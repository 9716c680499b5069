/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of Dhrystone that far runs. */
#define SIDE dhry_far
#include "names.h"
