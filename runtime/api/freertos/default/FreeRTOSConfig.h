/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration of a program that brings no FreeRTOSConfig.h, on Coreloom's kernels: the values that it has on FreeRTOS
 * (runtime/freertos/FreeRTOSConfig.h), and what the layer decides. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#ifndef configNUMBER_OF_CORES
#define configNUMBER_OF_CORES CL_CPUS
#endif
#define configMAX_PRIORITIES (CL_PRIORITIES - 2)
#ifndef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 0
#endif
#ifndef configUSE_TICK_HOOK
#define configUSE_TICK_HOOK 0
#endif

#include "../../../freertos/values.h"

#endif
