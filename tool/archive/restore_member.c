/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the members of an archive again (member.h), for the last step of restore: frames
 * come in order, and so do the pieces that they carry. */
#include "tool/archive/member.h"
#include "tool/archive/part.h"
#include "tool/archive/restore_run.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  MB = 1000000,
  COMPARED = 1 << 16, /* bytes of a file that is there, read at a time */
};

/* A member that is being made. */
typedef struct
{
  char *name; /* NULL: none is */
  guint64 size, offset, coded;
  PacoRunningChecksum *checksum;
  int folder, fd; /* or -1 */
  char *temporary;
  char *damage; /* Why no file is made, or NULL. */
} Member;

struct PacoRestoreMember
{
  /* The member whose pieces come, and one that goes on after it: whole members may lie
   * between the pieces of another one. */
  Member now, outer;
  char *passed;    /* The name of one that was reported already, or NULL. */
  guint64 bytes;   /* of all members so far, */
  guint64 archive; /* and of the frames */
  guint64 unended; /* members that were reported before their last piece */
  guint8 plain[PACO_MEMBER_PIECE];
};

/* --- ending a member --------------------------------------------------------- */

static void
close_member (Member *member)
{
  if (member->checksum)
    paco_running_checksum_end (member->checksum, NULL);
  if (member->fd >= 0 && member->temporary)
    unlinkat (member->folder, member->temporary, 0);
  if (member->fd >= 0)
    close (member->fd);
  if (member->folder >= 0)
    close (member->folder);
  g_clear_pointer (&member->temporary, g_free);
  g_clear_pointer (&member->damage, g_free);
  g_clear_pointer (&member->name, g_free);
  member->checksum = NULL;
  member->folder = member->fd = -1;
}

static void
tell (PacoRestoreRun *run, const char *name, const char *why)
{
  g_autofree char *shown = g_filename_display_name (name);

  paco_report_note (run->report, "%s %s", shown, why);
}

/* Reports a member that does not come back. */
static void
lose (PacoRestoreRun *run, const char *name, const char *why)
{
  run->report->damaged++;
  tell (run, name, why);
}

/* Says that the rest of a member has not come. In a part of an archive that is no
 * damage. */
static void
abandon (PacoRestoreRun *run, Member *member, gboolean is_part)
{
  if (!member->name)
    return;
  run->member->unended++;
  if (is_part)
    tell (run, member->name,
        "ends in another part of the archive: joined with it, it comes back");
  else
    lose (run, member->name,
        "cannot be restored: frames that carry parts of it are missing");
  close_member (member);
}

/* Goes on with the member around the one that has ended. */
static void
leave (PacoRestoreMember *members)
{
  members->now = members->outer;
  members->outer = (Member){ .folder = -1, .fd = -1 };
}

/* Says whether the file with the name is the member. */
static gboolean
is_there (
    const Member *member, const char *base, const PacoChecksums *checksums)
{
  int fd = openat (
      member->folder, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  PacoRunningChecksum *running;
  PacoChecksums found;
  guint8 piece[COMPARED];
  struct stat status;
  guint64 at = 0;

  if (fd < 0)
    return FALSE;
  running = paco_running_checksum_new (FALSE);
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && (guint64) status.st_size == member->size)
    for (gsize n; (n = paco_io_read_at (fd, at, piece, sizeof piece)) > 0;
         at += n)
      paco_running_checksum_add (running, piece, n);
  close (fd);
  paco_running_checksum_end (running, &found);
  return at == member->size
      && memcmp (found.xxh3, checksums->xxh3, PACO_CHECKSUM_SIZE) == 0;
}

/* Says why a file cannot be written. If that is its name alone, it costs this file. */
static gboolean
give_up (Member *member, GError **error)
{
  if (!paco_part_is_of_name (errno))
    return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, member->name,
        "cannot be restored: %s", paco_io_why (errno));
  member->damage = g_strdup (g_strerror (errno));
  return TRUE;
}

/* Gives the file its name. */
static gboolean
name_member (
    PacoRestoreRun *run, const PacoChecksums *checksums, GError **error)
{
  Member *member = &run->member->now;
  const char *base = strrchr (member->name, '/');
  struct stat status;
  int other = dup (member->fd);

  base = base ? base + 1 : member->name;
  /* Some file systems say only now that the file could not be written. */
  if (other < 0 || close (other) != 0)
    return give_up (member, error);
  if (paco_part_give_name (member->folder, member->temporary, base)) {
    g_clear_pointer (&member->temporary, g_free);
    return TRUE;
  }
  if (errno != EEXIST)
    return give_up (member, error);
  if (fstatat (member->folder, base, &status, AT_SYMLINK_NOFOLLOW) == 0
      && !S_ISREG (status.st_mode)) {
    member->damage = g_strdup (
        "a folder, a link or a device has its name, and nothing is "
        "overwritten");
    return TRUE;
  }
  if (is_there (member, base, checksums)) {
    run->report->resumed++;
    return TRUE;
  }
  errno = EEXIST;
  give_up (member, error);
  g_prefix_error (error, "nothing is overwritten: ");
  return FALSE;
}

static gboolean
end_member (PacoRestoreRun *run, const PacoMemberPiece *piece, GError **error)
{
  Member *member = &run->member->now;
  PacoChecksums found = { .has_md5 = FALSE };

  paco_running_checksum_end (g_steal_pointer (&member->checksum), &found);
  if (!member->damage && !paco_checksums_equal (&found, &piece->checksums))
    member->damage = g_strdup (
        "the file that its frames give has another checksum than it had");
  if (!member->damage && member->fd >= 0
      && !name_member (run, &piece->checksums, error))
    return FALSE;
  if (member->damage) {
    g_autofree char *why = g_strconcat (
        "cannot be restored: ", member->damage, NULL);

    lose (run, member->name, why);
  } else
    paco_report_add_member (run->report, member->name, member->size,
        member->coded, &piece->checksums);
  close_member (member);
  leave (run->member);
  return TRUE;
}

/* --- beginning one ------------------------------------------------------------- */

static gboolean
open_file (PacoRestoreRun *run, GError **error)
{
  Member *member = &run->member->now;
  const char *base;

  if (run->folder < 0)
    return TRUE;
  member->folder = paco_restore_open_folder (run->folder, member->name, &base);
  if (member->folder >= 0)
    member->fd = paco_part_open_restoring (
        member->folder, base, &member->temporary);
  return member->fd >= 0 || give_up (member, error);
}

static gboolean
begin_member (PacoRestoreRun *run, const PacoMemberPiece *piece, GError **error)
{
  const PacoRestoreLimits *limits = &run->options->limits;
  Member *member = &run->member->now;
  const char *why;

  member->name = g_strndup (piece->name, piece->name_length);
  member->size = piece->size;
  member->offset = member->coded = 0;
  member->checksum = paco_running_checksum_new (run->options->md5);
  why = paco_restore_refuse_name (run, member->name);
  if (why)
    member->damage = g_strdup (why);
  else if (member->size > limits->max_file)
    member->damage = g_strdup_printf (
        "it has %" G_GUINT64_FORMAT
        " bytes, more than --max-file=%" G_GUINT64_FORMAT
        " MB; --max-file=%" G_GUINT64_FORMAT " restores it",
        member->size, limits->max_file / MB, member->size / MB + 1);
  else
    return open_file (run, error);
  return TRUE;
}

/* --- pieces ---------------------------------------------------------------------- */

/* Says whether all members so far are as many bytes as archives of this size may have. */
static gboolean
check_ratio (PacoRestoreRun *run, const PacoMemberPiece *piece, GError **error)
{
  const PacoRestoreOptions *options = run->options;
  guint64 archive = MAX (options->size, run->member->archive);

  run->member->bytes += piece->plain;
  return run->member->bytes <= PACO_RESTORE_FREE
      || run->member->bytes / options->limits.max_ratio <= archive
      || paco_archive_fail (error, PACO_ARCHIVE_FAILED,
          "the files that are no frames have %" G_GUINT64_FORMAT
          " bytes up to here, more than %" G_GUINT64_FORMAT
          " times the archive's; --max-ratio=%" G_GUINT64_FORMAT
          " allows it, and the same command goes on",
          run->member->bytes, options->limits.max_ratio,
          run->member->bytes / archive + 1);
}

static gboolean
add_piece (PacoRestoreRun *run, const PacoMemberPiece *piece, GError **error)
{
  Member *member = &run->member->now;
  g_autoptr (GError) broken = NULL;
  guint8 found[PACO_CHECKSUM_SIZE];

  if (!check_ratio (run, piece, error))
    return FALSE;
  member->coded += piece->coded + piece->name_length;
  if (!member->damage
      && !paco_member_piece_decode (piece, run->member->plain, &broken))
    member->damage = g_strdup (broken->message);
  if (!member->damage) {
    paco_running_checksum_add (
        member->checksum, run->member->plain, piece->plain);
    paco_running_checksum_now (member->checksum, found);
    if (memcmp (found, piece->checksums.xxh3, PACO_CHECKSUM_SIZE) != 0)
      member->damage = g_strdup (
          "the file that its frames give has another checksum than it had");
    else if (member->fd >= 0
        && !paco_io_write_at (
            member->fd, member->offset, run->member->plain, piece->plain))
      return give_up (member, error);
  }
  member->offset += piece->plain;
  return !paco_member_piece_is_last (piece) || end_member (run, piece, error);
}

static gboolean
continues (const Member *member, const PacoMemberPiece *piece)
{
  return member->name && strlen (member->name) == piece->name_length
      && memcmp (member->name, piece->name, piece->name_length) == 0
      && member->size == piece->size && member->offset == piece->offset;
}

/* Reports once that the beginning of a member has not come. */
static void
pass_over (PacoRestoreRun *run, const PacoMemberPiece *piece, gboolean is_part)
{
  g_autofree char *name = g_strndup (piece->name, piece->name_length);

  if (g_strcmp0 (run->member->passed, name) == 0)
    return;
  g_free (run->member->passed);
  run->member->passed = g_steal_pointer (&name);
  if (is_part)
    tell (run, run->member->passed,
        "begins in another part of the archive: joined with it, it comes back");
  else
    lose (run, run->member->passed,
        "cannot be restored: frames that carry parts of it are missing");
}

/* Reports a member that the piece should go on with, and does not. Its other pieces are
 * passed over. */
static void
break_off (PacoRestoreRun *run, Member *member)
{
  if (!member->name)
    return;
  g_free (run->member->passed);
  run->member->passed = g_strdup (member->name);
  abandon (run, member, FALSE);
}

static gboolean
take_piece (PacoRestoreRun *run, const PacoMemberPiece *piece,
    gboolean is_first, GError **error)
{
  PacoRestoreMember *members = run->member;

  if (!continues (&members->now, piece) && continues (&members->outer, piece)) {
    break_off (run, &members->now);
    leave (members);
  }
  if (continues (&members->now, piece))
    return add_piece (run, piece, error);
  if (piece->offset > 0) {
    break_off (run, &members->now);
    leave (members);
    pass_over (run, piece, is_first || run->options->has_range);
    return TRUE;
  }
  break_off (run, &members->outer);
  members->outer = members->now;
  members->now = (Member){ .folder = -1, .fd = -1 };
  return begin_member (run, piece, error) && add_piece (run, piece, error);
}

/* --- frames ------------------------------------------------------------------------ */

/* Returns the bytes of a frame that was not read, to be freed. */
static guint8 *
read_frame (const PacoRestoreRun *run, const PacoRestoreItem *item)
{
  guint8 *bytes = g_try_malloc (item->frame.size);

  if (bytes
      && run->options->read (run->options->user, &item->frame, bytes, NULL))
    return bytes;
  g_free (bytes);
  return NULL;
}

gboolean
paco_restore_members (
    PacoRestoreRun *run, PacoRestoreItem *item, GError **error)
{
  PacoRestoreMember *members = run->member;
  const guint8 *bytes = item->bytes ? item->bytes : item->frame.data;
  gboolean is_first = item->info.has_place && item->info.place_number == 0;
  g_autoptr (GError) broken = NULL;
  g_autofree guint8 *own = NULL;
  PacoMemberPieces pieces;
  PacoMemberPiece piece;
  gboolean good;

  members->archive += item->frame.size;
  if (item->members.n_pieces == 0)
    return TRUE;
  if (!bytes)
    bytes = own = read_frame (run, item);
  good = bytes
      && paco_member_pieces_begin (bytes, item->frame.size, &pieces, &broken);
  while (good && paco_member_pieces_next (&pieces, &piece, &broken))
    good = take_piece (run, &piece, is_first, error);
  if (members->now.name)
    break_off (run, &members->outer);
  else
    leave (members);
  if (!broken && bytes)
    return good;
  run->report->damaged++;
  paco_report_note (run->report, "Frame %" G_GUINT64_FORMAT ": %s",
      item->frame.number,
      broken ? broken->message : "what it carries cannot be read");
  return TRUE;
}

void
paco_restore_end_members (PacoRestoreRun *run, gboolean is_whole)
{
  abandon (run, &run->member->now, is_whole || run->options->has_range);
}

guint64
paco_restore_unended (const PacoRestoreRun *run)
{
  return run->member->unended;
}

PacoRestoreMember *
paco_restore_member_new (void)
{
  PacoRestoreMember *members = g_new0 (PacoRestoreMember, 1);

  members->now = members->outer = (Member){ .folder = -1, .fd = -1 };
  return members;
}

void
paco_restore_member_free (PacoRestoreMember *members)
{
  close_member (&members->now);
  close_member (&members->outer);
  g_free (members->passed);
  g_free (members);
}
