/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests lib/stream/io.c with calls that are interrupted, or handle a few bytes only. */
#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

enum
{
  SIZE = 1000,
  MOST = 7, /* Bytes that a call handles. */
};

static uint8_t file[SIZE], bytes[SIZE];
static size_t position; /* in the file */
static unsigned n_calls;

static ssize_t
call (const struct iovec *parts, int n, bool writes)
{
  size_t done = 0;

  errno = n_calls++ % 2 == 0 ? EINTR : 0;
  for (; n > 0 && errno == 0; n--, parts++)
    for (size_t i = 0; i < parts->iov_len && done < MOST && position < SIZE;
         i++, done++, position++) {
      uint8_t *byte = (uint8_t *) parts->iov_base + i;

      *(writes ? file + position : byte) = *(writes ? byte : file + position);
    }
  return errno ? -1 : (ssize_t) done;
}

#define read(fd, to, size) call (&(struct iovec){ to, size }, 1, false)
#define pread(fd, to, size, at) (position = (size_t) (at), read (fd, to, size))
#define writev(fd, parts, n) call (parts, n, true)
#define pwritev(fd, parts, n, at)                                              \
  (position = (size_t) (at), writev (fd, parts, n))
#include "lib/stream/io.c"

static bool
is_interrupted (GError **error)
{
  return position > 0;
}

static void
test_read (void)
{
  for (unsigned i = 0; i < SIZE; i++)
    file[i] = (uint8_t) g_test_rand_int ();
  g_assert_cmpuint (paco_io_read_at (0, 100, bytes, 500), ==, 500);
  g_assert_cmpmem (bytes, 500, file + 100, 500);
  g_assert_cmpuint (paco_io_read_at (0, SIZE - 20, bytes, 30), ==, 20);
  g_assert_cmpint (errno, ==, 0);
  position = 0;
  g_assert_cmpuint (paco_io_read_next (0, bytes, 10, 100, NULL), ==, 2 * MOST);
  g_assert_cmpmem (bytes, 2 * MOST, file, 2 * MOST);
  g_assert_cmpuint (paco_io_read_next (0, bytes, 9, 9, is_interrupted), <, 9);
  g_assert_cmpint (errno, ==, EINTR);
}

static void
test_write (void)
{
  struct iovec parts[] = { { bytes, 50 }, { NULL, 0 }, { bytes + 50, 450 } };

  for (unsigned i = 0; i < SIZE; i++)
    bytes[i] = (uint8_t) g_test_rand_int ();
  position = 0;
  g_assert_true (paco_io_write_next (0, parts, 3, NULL));
  g_assert_true (paco_io_write_at (0, 400, bytes + 400, SIZE - 400));
  g_assert_cmpmem (file, SIZE, bytes, SIZE);
  g_assert_false (paco_io_write_at (0, SIZE - 20, bytes, 30));
  g_assert_cmpint (errno, ==, EIO); /* No call said why it wrote nothing. */
  parts[0] = (struct iovec){ bytes, MOST + 1 };
  position = n_calls = 0;
  g_assert_false (paco_io_write_next (0, parts, 1, is_interrupted));
  g_assert_cmpint (errno, ==, EINTR);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/io/read", test_read);
  g_test_add_func ("/io/write", test_write);
  return g_test_run ();
}
