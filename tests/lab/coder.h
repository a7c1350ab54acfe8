/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the methods of lab-coder: text 004's coder as it is, and with one
 * thing changed. */
#pragma once
#include "tests/lab/gray-picture.h"
#include "tests/lab/lab.h"

typedef enum
{
  METHOD_TEXT, /* three passes, a codeword for each lane */
  METHOD_TWO_PASSES,
  METHOD_MQ,           /* JPEG 2000's arithmetic coder in its place */
  METHOD_ONE_CODEWORD, /* one arithmetic coder for all lanes */
  METHOD_ONE_CONTEXT,  /* of each kind */
  METHOD_LONG,  /* codewords of 32 bits, probabilities of 8: the codec's */
  METHOD_KNOWN, /* with tables of all pictures, the one itself included */
  N_METHODS
} CoderMethodId;

/* Methods whose symbols have the same contexts share counts. */
typedef enum
{
  COUNTED_THREE_PASSES,
  COUNTED_TWO_PASSES,
  COUNTED_ONE_CONTEXT,
  N_COUNTED
} CoderCounted;

typedef struct
{
  const char *name; /* the column that the text gives it */
  BitplanesForm form;
  CoderCounted counted;
  bool knows_picture; /* its own symbols count for its tables */
} CoderMethod;

extern const CoderMethod coder_methods[N_METHODS];

/* --- The corpora (coder.c) --- */

enum
{
  CODER_BLOCK_HEIGHT = 64,
  CODER_N_CORPORA = 5,
};

typedef enum
{
  CODER_LOSSLESS, /* 5/3 */
  CODER_LOSSY,    /* 9/7 */
  CODER_N_REGIMES
} CoderRegime;

typedef struct
{
  GrayPicture picture;
  GrayTransform transform[CODER_N_REGIMES];
  GrayCounts counts[CODER_N_REGIMES][N_COUNTED];
} CoderPicture;

typedef struct
{
  unsigned number;
  const char *name;
  unsigned n; /* pictures */
  CoderPicture *pictures;
  GrayCounts counts[CODER_N_REGIMES][N_COUNTED]; /* of all */
} CoderCorpus;

/* Reads corpus `number`, with its transforms and counts. Ends the program, as
 * skipped, where there is none. */
void coder_corpus_read (unsigned number, CoderCorpus *corpus);
void coder_corpus_clear (CoderCorpus *corpus);

/* Calls work with each CoderPicture, two at a time. */
void coder_for_all_pictures (
    CoderCorpus *corpus, GFunc work, gpointer user_data);

double coder_samples (const CoderPicture *picture);

/* Counts each symbol in the other pictures of a corpus. The caller frees the counts. */
GrayCounts *coder_counts_of_others (const CoderCorpus *corpus,
    const CoderPicture *picture, CoderRegime regime, CoderCounted counted);

/* Codes a picture with tables of the others, which go to `tables`. */
void coder_encode (const CoderCorpus *corpus, const CoderPicture *picture,
    CoderRegime regime, const CoderMethod *method, unsigned block_height,
    GrayTables *tables, GrayCode *code);

/* Returns the PSNR of a code that is cut to so many bytes and decoded. */
double coder_psnr_at (
    const CoderPicture *picture, GrayCode *code, size_t bytes);

/* --- What the program does --- */

void coder_check (void);

/* These are ways to code with the codec itself: 5/3 and a set of the other
 * pictures, with one and with three passes; and as pacoenc does it. */
typedef enum
{
  CODEC_ONE_PASS,
  CODEC_THREE_PASSES,
  CODEC_AS_EVER,
  N_CODEC
} CoderCodec;

/* This says how many bits a sample a picture takes without loss. */
typedef struct
{
  double rival; /* JPEG 2000; 0: there is none */
  double method[N_METHODS];
  double codec[N_CODEC];
  /* These are ideal: with its own probabilities, with the others', with the
   * others' in 7 bits; and packet headers, which these have none of. */
  double own, others, table, headers;
  double active[2]; /* lanes, % of those of visits, with 3 and 2 passes */
} CoderLossless;

/* Measures table 3.1 of a corpus, and adds its pictures to `all`. */
void coder_measure_lossless (
    CoderCorpus *corpus, CoderLossless *all, unsigned *n_all);
/* Measures the part of it that is the codec's. */
void coder_measure_codec (CoderCorpus *corpus, CoderLossless *results);
/* Reports what the pictures of all corpora take on the mean. */
void coder_report_lossless (const CoderLossless *all, unsigned n_all);

#define CODER_N_RATES 6

/* These are dB above JPEG 2000, sums of n pictures, 0 where they cannot be
 * compared. */
typedef struct
{
  double two, three, known, parallel;
  unsigned n;
} CoderLossy;

/* Measures figures 3.3 and 3.4 of a corpus; adds its pictures to
 * all[CODER_N_RATES]. */
void coder_measure_lossy (CoderCorpus *corpus, CoderLossy *all);
/* Reports figure 4.4. */
void coder_report_lossy (const CoderLossy *all);
/* Measures figure 4.6: how fast JPEG 2000 is, with the first picture. */
void coder_measure_rival (CoderCorpus *corpus);
/* Measures figure 3.5: blocks of other heights, of the first picture. */
void coder_measure_heights (CoderCorpus *corpus);

/* Runs the rival of text 004: JPEG 2000, coded by OpenJPEG's library, which
 * knows nothing of this project. Without the library there is none. */

typedef struct
{
  double bits; /* per sample, headers included; 0: lossless, with 5/3 */
  unsigned block_height; /* of 64 columns: 4 to 64, a power of two */
  unsigned threads;      /* 0 is 1 */
  bool parallel_passes;  /* the variations RESET, RESTART and CAUSAL */
} Jpeg2000Options;

/* Says whether there is a rival. */
bool jpeg2000_is_there (void);

/* Codes the picture with five levels, one layer, one tile, and decodes it again.
 * Returns the bytes of the packets: the codestream without its main header and
 * markers. decoded (or NULL): its samples, level shifted. Ends the program if OpenJPEG
 * fails. */
size_t jpeg2000_code (const GrayPicture *picture,
    const Jpeg2000Options *options, PacoReferenceSample *decoded);
