/* SPDX-License-Identifier: Apache-2.0
 *
 * BSD's numbers for the status of a program. */
#ifndef CORELOOM_SYSEXITS_H
#define CORELOOM_SYSEXITS_H

enum {
  EX_OK = 0,
  EX_USAGE = 64,
  EX_DATAERR,
  EX_NOINPUT,
  EX_NOUSER,
  EX_NOHOST,
  EX_UNAVAILABLE,
  EX_SOFTWARE,
  EX_OSERR,
  EX_OSFILE,
  EX_CANTCREAT,
  EX_IOERR,
  EX_TEMPFAIL,
  EX_PROTOCOL,
  EX_NOPERM,
  EX_CONFIG,
};

#endif
