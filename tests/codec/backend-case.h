/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Helps the tests of a backend: it makes a picture, codes it with the reference, and
 * checks that the backend does the same. Every case is made from one number, printed
 * when it fails. */
#pragma once
#include "tests/codec/must.h"
#include "tests/codec/n-cases.h"
#include "tests/codec/random-picture.h"

#ifndef BACKEND
#define BACKEND paco_cpu_backend
#endif

#define N_CODERS 3
/* These are milliseconds for a frame: emulated, or under a debugger, they take
 * long. */
#define PATIENCE 600000

/* These coders live through all cases, to be configured again and again. */
typedef struct
{
  PacoEncoder *encoders[N_CODERS];
  PacoDecoder *decoders[N_CODERS];
} Coders;

extern const PacoBackendOptions coder_options[N_CODERS];

/* Says whether the backend can be had. If not, it skips all tests: without a
 * device there is nothing to test, which is no failure. */
bool coders_are_available (void);

void coders_open (Coders *coders);
void coders_close (Coders *coders);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Coders, coders_close)

/* Makes a coder, either may be NULL, use any of the instruction sets that this
 * machine has, if it is the CPU's. */
void set_random_ops (GRand *rand, PacoEncoder *encoder, PacoDecoder *decoder);

typedef struct
{
  guint32 seed;
  GRand *rand;
  TestPicture source;
  PacoParameters parameters;
  PacoVideoInfo video;
  GByteArray *frame; /* of the reference */
  unsigned levels;
  bool possible;
} Case;

/* Makes a case of components of about that many samples at most. Both return
 * FALSE for parameters that the reference refuses, too. */
bool case_init (Case *c, uint32_t samples);
bool case_init_seeded (Case *c, guint32 seed, uint32_t samples);
/* Draws cases until the parameters are possible. */
void case_init_possible (Case *c, uint32_t samples);
/* Takes a color transform away that only lossless frames without cut points may
 * have. */
void case_without_wrapping (Case *c);
/* Gives it a budget, and the frame that the reference makes for it. */
void case_set_budget (Case *c);
void case_clear (Case *c);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* Draws another picture for a case, in the same memory. */
void case_refill (Case *c);

/* Copies bytes to the backend's own memory one time in two, where it has some; else it
 * returns NULL. */
PacoHostMemory *copy_to_host_memory (
    PacoCoder *coder, const void *data, size_t size);

gboolean configure_encoder (
    const Case *c, PacoEncoder *encoder, GError **error);
/* Fails unless the frame is the reference's. */
void check_encoded (const Case *c, PacoEncodedFrame *frame);
void encode_and_check (const Case *c, PacoEncoder *encoder);
/* Encodes and checks with an encoder that has been configured for the case. */
void encode_another_and_check (const Case *c, PacoEncoder *encoder);

/* Makes a case whose frames choose their color transform and, with few bits, their wavelet
 * (codec/policy_wavelet.h); draws another picture for it, in the same memory, of which half
 * are smooth, which often choose the other wavelet; and says whether that has been chosen. */
void case_init_choosing (Case *c);
void case_choose_again (Case *c);
bool case_takes_other (const Case *c);

typedef struct
{
  gboolean decoded;
  uint32_t corrupted_blocks;
} Verdict;

Verdict decode (PacoDecoder *decoder, const uint8_t *data, size_t size,
    unsigned reduce, TestPicture *destination);
/* Makes memory for a decoder of c. */
void destination_init (const Case *c, TestPicture *picture, unsigned reduce);
/* Fails unless pixels and verdict are the reference's. */
Verdict decode_and_check (const Case *c, PacoDecoder *decoder,
    const uint8_t *data, size_t size, unsigned reduce);

/* These add the tests, by file. */
void add_area_tests (void);
void add_code_tests (void);
void add_compare_tests (void);
void add_conceal_tests (void);
void add_damage_tests (void);
void add_flight_tests (void);
void add_map_tests (void);
void add_memory_tests (void);
void add_mixed_tests (void);
void add_slice_tests (void);
