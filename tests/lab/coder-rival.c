/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures how fast JPEG 2000 is on this machine's processor: what OpenJPEG
 * says to Figures 4.5 and 4.6 of text 004, where Kakadu stands. lab-coder
 * calls it. */
#include "tests/lab/coder.h"
#include "tests/lab/jpeg2000.h"

typedef struct
{
  const GrayPicture *picture;
  Jpeg2000Options options;
} Work;

static void
encode (void *data)
{
  const Work *work = data;

  jpeg2000_code (work->picture, &work->options, NULL);
}

void
coder_measure_rival (CoderCorpus *corpus)
{
  const CoderPicture *picture = &corpus->pictures[0];

  for (unsigned threads = 1; jpeg2000_is_there () && threads <= 4;
       threads *= 2) {
    Work work = { &picture->picture,
      { .block_height = CODER_BLOCK_HEIGHT, .threads = threads } };
    g_autofree char *x = g_strdup_printf (
        "OpenJPEG, lossless, threads: %u", threads);

    lab_result ("004 figure 4.6", "encoder", x,
        1e-3 * coder_samples (picture) / lab_time_one (encode, &work),
        "Msample/s");
  }
}
