/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads several files as one (volumes.h). */
#include "volumes.h"
#include "io.h"
#include <errno.h>
#include <sys/stat.h>

unsigned
paco_volumes_find (const PacoVolume *volumes, unsigned n, uint64_t offset)
{
  unsigned i = n - 1;

  while (i > 0 && offset < volumes[i].begin)
    i--;
  return i;
}

size_t
paco_volumes_read_at (const PacoVolume *volumes, unsigned n, uint64_t offset,
    void *data, size_t size)
{
  size_t done = 0;

  errno = 0;
  for (unsigned i = paco_volumes_find (volumes, n, offset); done < size; i++) {
    uint64_t at = offset + done;
    size_t wanted = size - done, got;

    if (i + 1 < n && volumes[i + 1].begin - at < wanted)
      wanted = (size_t) (volumes[i + 1].begin - at);
    got = paco_io_read_at (
        volumes[i].fd, at - volumes[i].begin, (uint8_t *) data + done, wanted);
    done += got;
    if (got < wanted || i + 1 == n)
      break;
  }
  return done;
}

bool
paco_volumes_size (const PacoVolume *volumes, unsigned n, uint64_t *size)
{
  for (unsigned i = 0; i < n; i++) {
    struct stat status;

    if (fstat (volumes[i].fd, &status) != 0)
      return false;
    *size = volumes[i].begin + (uint64_t) status.st_size;
    if (i + 1 < n && *size < volumes[i + 1].begin)
      return true;
  }
  return true;
}
