/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads and writes little-endian integers in bytes: for headers and chunks, and for
 * tool/archive/, where files have such integers. */
#pragma once
#include <stdint.h>

static inline uint16_t
paco_get16 (const uint8_t *p)
{
  return (uint16_t) (p[0] | p[1] << 8);
}

static inline uint32_t
paco_get32 (const uint8_t *p)
{
  return paco_get16 (p) | (uint32_t) paco_get16 (p + 2) << 16;
}

static inline uint64_t
paco_get64 (const uint8_t *p)
{
  return paco_get32 (p) | (uint64_t) paco_get32 (p + 4) << 32;
}

/* These write an integer and return where the next one goes. */
static inline uint8_t *
paco_put16 (uint8_t *p, uint16_t value)
{
  *p++ = value & 0xff;
  *p++ = value >> 8;
  return p;
}

static inline uint8_t *
paco_put32 (uint8_t *p, uint32_t value)
{
  return paco_put16 (paco_put16 (p, value & 0xffff), value >> 16);
}

static inline uint8_t *
paco_put64 (uint8_t *p, uint64_t value)
{
  return paco_put32 (paco_put32 (p, value & 0xffffffff), value >> 32);
}
