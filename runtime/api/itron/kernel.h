/* SPDX-License-Identifier: Apache-2.0
 *
 * The name that TOPPERS' programs have for it. */
#include "itron.h"
