/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes files for applications (the writers of paco.h): frames one behind the
 * other, each with its place. What was written stays whole frames, whatever happens
 * later. */
#include "lib/stream/file.h"
#include "lib/stream/io.h"
#include "lib/stream/stacks.h"
#include "lib/private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct PacoWriter
{
  int fd;
  bool owned;    /* it is to be closed */
  bool cuttable; /* a file, whose end can be taken away again */
  bool broken;   /* nobody knows what has been written */
  char *name;
  uint64_t n_frames, n_bytes;
  uint64_t origin; /* byte of the file where n_bytes begin */
  /* The stream that is being written. */
  PacoPlace next;
  uint32_t fps_n, fps_d;
  PacoStacks stacks; /* the last frame, as its header had it */
  uint32_t n_stacks; /* that have begun */
  bool sets_files; /* frames of archives get the number of files of this one: */
  uint32_t n_files, n_members;          /* 0: unknown */
  uint8_t header[PACO_MAX_HEADER_SIZE]; /* of the frame that is written */
};

static PacoStatus
fail (const PacoWriter *writer, int number, PacoError *error)
{
  return paco_error_set (error, PACO_STATUS_IO,
      "%s cannot be written behind byte %" G_GUINT64_FORMAT ": %s",
      writer->name, writer->n_bytes, g_strerror (number));
}

/* Counts a frame that is in the file, at that place of its stream, in the stack of that
 * number if it is a slice. */
static void
account (PacoWriter *writer, const PacoPlace *place, uint32_t stack,
    const PacoVideoInfo *video, uint32_t size)
{
  if (place->number == 0)
    writer->n_stacks = 0;
  if (video->slice.length > 0)
    writer->n_stacks = stack + 1;
  writer->n_frames++;
  writer->n_bytes += size;
  writer->next.number = place->number + 1;
  writer->next.offset = place->offset + size;
  writer->fps_n = video->fps_n;
  writer->fps_d = video->fps_d;
}

/* Returns the place of the frame that comes next. A stream has one frame rate. */
static PacoPlace
next_place (const PacoWriter *writer, const PacoVideoInfo *video)
{
  if (writer->n_frames > 0
      && (writer->fps_n != video->fps_n || writer->fps_d != video->fps_d))
    return (PacoPlace){ 0, 0 };
  return writer->next;
}

/* Returns the number of the stack of a slice that comes next, at that place: it goes on
 * with the last stack, or another one begins. */
static uint32_t
next_stack (const PacoWriter *writer, const PacoPlace *place, bool goes_on)
{
  return place->number == 0 ? 0 : writer->n_stacks - goes_on;
}

/* --- what is there already --- */

/* Counts the whole frame behind those that are counted. Returns FALSE if there is
 * none. */
static bool
count_frame (PacoWriter *writer, PacoFile *file)
{
  PacoHeader header;
  PacoPlace place;

  if (!paco_file_header_at (file, writer->n_bytes, &header)
      || header.frame_size > file->size - writer->n_bytes)
    return false;
  place = header.video.has_place ? header.video.place
                                 : next_place (writer, &header.video);
  paco_stacks_frame (&writer->stacks, &header, false);
  /* The frames that are added later have other places, those of their files. */
  writer->stacks.has_place = false;
  account (writer, &place, header.video.slice.number, &header.video,
      header.frame_size);
  return true;
}

/* Says whether the bytes behind the whole frames are what is left of one that was not
 * written to its end, and not something else. */
static PacoStatus
check_rest (const PacoWriter *writer, PacoFile *file, PacoError *error)
{
  uint64_t rest = file->size - writer->n_bytes;
  const uint8_t *data = paco_file_peek (
      file, writer->n_bytes, (size_t) MIN (rest, 4));
  PacoFileFrame frame;

  if (rest == 0)
    return PACO_STATUS_OK;
  if (writer->n_frames == 0
      && (!data || memcmp (data, PACO_MAGIC, (size_t) MIN (rest, 4)) != 0))
    return paco_error_set (error, PACO_STATUS_NOT_PACO,
        "%s is no file of PaCo frames, so nothing is added to it",
        writer->name);
  if (!paco_file_next_frame (file, writer->n_bytes + 1, file->size, &frame)
      && !file->gave_up)
    return PACO_STATUS_OK;
  return paco_error_set (error, PACO_STATUS_CORRUPT,
      "%s is damaged at byte %" G_GUINT64_FORMAT " and goes on behind that, so "
      "nothing is added to it",
      writer->name, writer->n_bytes);
}

/* Goes behind the last whole frame, and cuts off the bytes behind it. */
static PacoStatus
resume (PacoWriter *writer, PacoError *error)
{
  PacoStatus result;
  PacoFile file;

  if (!paco_file_init_descriptor (&file, &writer->fd))
    return fail (writer, errno, error);
  while (count_frame (writer, &file))
    ;
  result = check_rest (writer, &file, error);
  paco_file_clear (&file);
  if (result == PACO_STATUS_OK
      && (ftruncate (writer->fd, (off_t) writer->n_bytes) != 0
          || lseek (writer->fd, (off_t) writer->n_bytes, SEEK_SET) < 0))
    result = fail (writer, errno, error);
  return result;
}

/* --- life --- */

static PacoStatus
new_writer (
    int fd, bool owned, const char *name, PacoWriter **writer, PacoError *error)
{
  struct stat status;
  off_t at = lseek (fd, 0, SEEK_CUR);

  *writer = g_try_new0 (PacoWriter, 1);
  if (!*writer)
    return paco_error_set (
        error, PACO_STATUS_MEMORY, "there is no memory to write %s", name);
  (*writer)->fd = fd;
  (*writer)->owned = owned;
  (*writer)->cuttable = fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && at >= 0 && !(fcntl (fd, F_GETFL) & O_APPEND);
  (*writer)->origin = at > 0 ? (uint64_t) at : 0;
  (*writer)->name = g_strdup (name);
  return paco_error_ok (error);
}

/* Locks the file, so that nobody else of this library writes to it. If the file
 * system has no locks, it stays unlocked. */
static PacoStatus
lock_file (const PacoWriter *writer, PacoError *error)
{
  if (flock (writer->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return PACO_STATUS_OK;
  return paco_error_set (error, PACO_STATUS_IO,
      "%s is being written by another program", writer->name);
}

PacoStatus
paco_writer_open (
    const char *path, unsigned how, PacoWriter **writer, PacoError *error)
{
  PacoStatus status;
  int fd;

  if (!path || !writer)
    return paco_error_null (path ? "writer" : "path", error);
  *writer = NULL;
  if (how > PACO_WRITER_RESUME)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "how=%u is no way to open a file for writing", how);
  fd = open (path,
      O_RDWR | O_CREAT | O_CLOEXEC | (how == PACO_WRITER_NEW ? O_EXCL : 0),
      0666);
  if (fd < 0)
    return paco_error_set (error, PACO_STATUS_IO,
        "%s cannot be opened for writing: %s", path, g_strerror (errno));
  status = new_writer (fd, true, path, writer, error);
  if (status != PACO_STATUS_OK) {
    close (fd);
    return status;
  }
  status = lock_file (*writer, error);
  if (status == PACO_STATUS_OK && how == PACO_WRITER_RESUME)
    status = resume (*writer, error);
  else if (status == PACO_STATUS_OK && ftruncate (fd, 0) != 0
      && errno != EINVAL)
    status = fail (*writer, errno, error);
  if (status == PACO_STATUS_OK)
    return paco_error_ok (error);
  paco_writer_close (*writer, NULL);
  *writer = NULL;
  return status;
}

PacoStatus
paco_writer_open_fd (int fd, PacoWriter **writer, PacoError *error)
{
  char name[32];

  if (!writer)
    return paco_error_null ("writer", error);
  *writer = NULL;
  if (fcntl (fd, F_GETFD) < 0)
    return paco_error_set (error, PACO_STATUS_IO, "%d is no open file: %s", fd,
        g_strerror (errno));
  g_snprintf (name, sizeof name, fd == 1 ? "standard output" : "file %d", fd);
  return new_writer (fd, false, name, writer, error);
}

PacoStatus
paco_writer_sync (PacoWriter *writer, PacoError *error)
{
  if (!writer)
    return paco_error_null ("writer", error);
  if (fdatasync (writer->fd) == 0 || errno == EINVAL || errno == EROFS)
    return paco_error_ok (error);
  return fail (writer, errno, error);
}

PacoStatus
paco_writer_close (PacoWriter *writer, PacoError *error)
{
  PacoStatus status = paco_error_ok (error);

  if (!writer)
    return status;
  if (writer->owned && close (writer->fd) != 0)
    status = fail (writer, errno, error);
  g_free (writer->name);
  g_free (writer);
  return status;
}

void
paco_writer_set_files (PacoWriter *writer, uint32_t n_files, uint32_t n_members)
{
  if (!writer)
    return;
  writer->sets_files = true;
  writer->n_files = n_files;
  writer->n_members = n_members;
}

void
paco_writer_position (
    const PacoWriter *writer, uint64_t *n_frames, uint64_t *n_bytes)
{
  if (n_frames)
    *n_frames = writer ? writer->n_frames : 0;
  if (n_bytes)
    *n_bytes = writer ? writer->n_bytes : 0;
}

/* --- frames --- */

/* Cuts off what was written of a frame. */
static void
take_back (PacoWriter *writer)
{
  off_t end = (off_t) (writer->origin + writer->n_bytes);

  writer->broken = !writer->cuttable || ftruncate (writer->fd, end) != 0
      || lseek (writer->fd, end, SEEK_SET) < 0;
}

PacoStatus
paco_writer_add (
    PacoWriter *writer, const void *data, size_t size, PacoError *error)
{
  PacoHeader header;
  PacoStacks stacks;
  PacoPlace place;
  uint32_t stack;
  struct iovec parts[2];
  PacoStatus status;

  if (!writer)
    return paco_error_null ("writer", error);
  status = paco_info_header (data, size, &header, NULL, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (header.frame_size != size)
    return paco_error_set (error, PACO_STATUS_CORRUPT,
        "%zu bytes are to be written as a frame that has %u", size,
        header.frame_size);
  if (writer->broken)
    return paco_error_set (error, PACO_STATUS_IO,
        "%s does not end with a whole frame since an error, so no other is "
        "written",
        writer->name);
  place = next_place (writer, &header.video);
  stacks = writer->stacks;
  paco_stacks_frame (&stacks, &header, false);
  stack = next_stack (writer, &place, stacks.goes_on);
  memcpy (writer->header, data, header.header_size);
  paco_header_set_place (writer->header, header.header_size, &place);
  if (header.video.slice.length > 0)
    paco_header_set_stack (writer->header, header.header_size, stack);
  if (writer->sets_files)
    paco_header_set_files (
        writer->header, header.header_size, writer->n_files, writer->n_members);
  parts[0] = (struct iovec){ writer->header, header.header_size };
  parts[1] = (struct iovec){ (uint8_t *) data + header.header_size,
    size - header.header_size };
  if (!paco_io_write_next (writer->fd, parts, 2, NULL)) {
    int failure = errno;

    take_back (writer);
    return fail (writer, failure, error);
  }
  writer->stacks = stacks;
  account (writer, &place, stack, &header.video, header.frame_size);
  return paco_error_ok (error);
}
