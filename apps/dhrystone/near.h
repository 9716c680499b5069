/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of Dhrystone that near runs. */
#define SIDE dhry_near
#include "names.h"
