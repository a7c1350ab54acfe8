/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens files that are read, and reads and writes files: all bytes, although a signal may
 * interrupt a call, and a call may handle only some of them. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Opens a regular file to read it. Folders, pipes, devices and sockets are refused, and
 * not waited for. /dev/stdin and /dev/fd/N name descriptors that the caller of the
 * process has opened, so these may be pipes and devices as well. Returns the
 * descriptor, or -1 and errno, and sets *why, unless why is NULL, to the reason: "it is
 * a folder", "No such file or directory". The reason need not be freed. */
int paco_open_input (const char *path, const char **why);

/* Returns true if the call that a signal has interrupted is not to be repeated. It is
 * called with NULL. */
typedef bool (*PacoInterrupted) (GError **error);

/* Reads `size` bytes of a file, beginning at byte `offset`. Returns the number of bytes
 * read. If that is smaller than size, errno is the reason, and 0 at the end of the
 * file. */
size_t paco_io_read_at (int fd, uint64_t offset, void *data, size_t size);

/* Reads the next bytes of a file or pipe: as many as it has ready, between `least` and
 * `size`. Returns the number of bytes read. If that is smaller than least, errno is the
 * reason, EINTR if interrupted() returned true, and 0 at the end. interrupted may be
 * NULL. */
size_t paco_io_read_next (
    int fd, void *data, size_t least, size_t size, PacoInterrupted interrupted);

/* Writes `size` bytes, beginning at byte `offset` of the file. Returns false and errno if
 * not all could be written. */
bool paco_io_write_at (int fd, uint64_t offset, const void *data, size_t size);

/* Writes n parts one after the other, and changes them. Returns false and errno if not all
 * could be written, EINTR if interrupted() returned true. interrupted may be NULL. */
bool paco_io_write_next (
    int fd, struct iovec *parts, unsigned n, PacoInterrupted interrupted);

/* Returns why a file cannot be written, as the end of a sentence. It need not be freed. */
const char *paco_io_why (int number);
