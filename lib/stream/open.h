/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens files that are read: libpaco's readers, archive/ and the tool do so through
 * this. */
#pragma once

/* Opens a regular file to read it. Folders, pipes, devices and sockets are refused, and
 * not waited for. /dev/stdin and /dev/fd/N name descriptors that the caller of the
 * process has opened, so these may be pipes and devices as well. Returns the
 * descriptor, or -1 and errno, and sets *why, unless why is NULL, to the reason: "it is
 * a folder", "No such file or directory". The reason need not be freed. */
int paco_open_input (const char *path, const char **why);
