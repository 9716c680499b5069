/* SPDX-License-Identifier: GPL-2.0-only */
#include "loader.h" /* in place of libbpf */
