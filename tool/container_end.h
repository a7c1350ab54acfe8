/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out whether MOV, MP4 and Matroska files have lost their ends: for demuxers,
 * bytes that are missing are an end like any other. It reads headers of boxes and
 * elements, whose sizes reach beyond the end of a file that was cut. */
#pragma once
#include <stdbool.h>

/* Returns a sentence if the file, of which fd is open, does not end with a whole box or
 * element, to be freed, or NULL; kind is "MOV", "MP4" or "Matroska". *damaged says that
 * it was finished and has been cut. A recording that was never finished may end
 * anywhere: it is not damaged. */
char *paco_container_end (int fd, const char *kind, bool *damaged);
