/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the place of a file of FreeRTOS's kernel that the layer has no use for. */
