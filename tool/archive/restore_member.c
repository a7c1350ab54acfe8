/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the members of an archive again (member.h), and files whose sections are frames, for
 * the last step of restore: frames come in order, and so do the pieces that they carry. */
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
  /* These are of a file whose sections are frames: all, and those that came. */
  guint n_sections, n_frames;
  gboolean is_part; /* Its beginning is in another part of the archive. */
} Member;

struct PacoRestoreMember
{
  /* The member whose pieces come, and one that goes on after it: whole members may lie
   * between the pieces of another one. */
  Member now, outer;
  Member file;     /* of sections */
  char *passed;    /* The name of one that was reported already, or NULL. */
  char *begins;    /* The name of one that begins in another part, or NULL. */
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
  *member = (Member){ .folder = -1, .fd = -1 };
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

/* Says of a file that it begins or ends in frames that are not there, or not wanted. That is
 * no damage, but the end and the beginning of one file are both there only if parts were
 * joined in the wrong order. */
static void
tell_part (PacoRestoreRun *run, const char *name, gboolean ends)
{
  g_autofree char *why = g_strdup_printf ("%s %s", ends ? "ends" : "begins",
      run->options->has_range
          ? "with frames out of the range, and is not restored"
          : "in another part of the archive: joined with it, it comes back");

  if (ends && g_strcmp0 (run->member->begins, name) == 0) {
    lose (run, name,
        "cannot be restored: its end comes before its beginning; the parts of "
        "the archive were joined in the wrong order");
    return;
  }
  tell (run, name, why);
  if (!ends) {
    g_free (run->member->begins);
    run->member->begins = g_strdup (name);
  }
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
    tell_part (run, member->name, TRUE);
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
name_member (PacoRestoreRun *run, Member *member,
    const PacoChecksums *checksums, GError **error)
{
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

static const char differs[] =
    "the file that its frames give has another checksum than it had";

/* Ends a member whose last piece has come, or a file. */
static gboolean
end_member (PacoRestoreRun *run, Member *member, const PacoChecksums *checksums,
    GError **error)
{
  PacoChecksums found = { .has_md5 = FALSE };

  if (member->is_part) {
    close_member (member);
    return TRUE;
  }
  paco_running_checksum_end (g_steal_pointer (&member->checksum), &found);
  if (!member->damage && !paco_checksums_equal (&found, checksums))
    member->damage = g_strdup (differs);
  if (!member->damage && member->fd >= 0
      && !name_member (run, member, checksums, error))
    return FALSE;
  if (member->damage) {
    g_autofree char *why = g_strconcat (
        "cannot be restored: ", member->damage, NULL);

    lose (run, member->name, why);
  } else if (member->n_sections > 0)
    paco_report_add (run->report, member->name, member->size, member->coded,
        member->n_frames, checksums);
  else
    paco_report_add_member (
        run->report, member->name, member->size, member->coded, checksums);
  close_member (member);
  if (member == &run->member->now)
    leave (run->member);
  return TRUE;
}

/* --- beginning one ------------------------------------------------------------- */

static gboolean
open_file (PacoRestoreRun *run, Member *member, GError **error)
{
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
begin_member (PacoRestoreRun *run, Member *member, const char *name,
    gsize name_length, guint64 size, GError **error)
{
  const PacoRestoreLimits *limits = &run->options->limits;
  const char *why;

  member->name = g_strndup (name, name_length);
  member->size = size;
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
    return open_file (run, member, error);
  return TRUE;
}

/* Adds bytes, up to which the member has that XXH3. */
static gboolean
add_bytes (Member *member, const guint8 *bytes, gsize size,
    const PacoChecksums *checksums, GError **error)
{
  guint8 found[PACO_CHECKSUM_SIZE];

  paco_running_checksum_add (member->checksum, bytes, size);
  paco_running_checksum_now (member->checksum, found);
  if (memcmp (found, checksums->xxh3, PACO_CHECKSUM_SIZE) != 0)
    member->damage = g_strdup (differs);
  else if (member->fd >= 0
      && !paco_io_write_at (member->fd, member->offset, bytes, size))
    return give_up (member, error);
  return TRUE;
}

/* --- sections -------------------------------------------------------------------- */

/* Counts up to n frames, of those that are missing here, with the file that they are of. The
 * frames of one that begins in another part count each, as it is no damage by itself. */
static guint64
join_missing (
    PacoRestoreRun *run, const Member *file, guint64 n, guint64 *missing)
{
  n = file->is_part ? 0 : MIN (n, *missing);
  *missing -= n;
  run->report->damaged -= n;
  return n;
}

/* Ends the file whose sections came, of which some are missing. */
static void
abandon_file (PacoRestoreRun *run, gboolean is_part, guint64 *missing)
{
  Member *file = &run->member->file;

  if (!file->name)
    return;
  join_missing (run, file,
      file->n_sections - MIN (file->n_frames, file->n_sections), missing);
  if (is_part && !file->damage && !file->is_part)
    tell_part (run, file->name, TRUE);
  else if (!file->is_part)
    lose (run, file->name,
        file->damage ? "cannot be restored: not all of its frames are whole"
                     : "cannot be restored: frames of it are missing");
  close_member (file);
}

void
paco_restore_no_section (PacoRestoreRun *run, guint64 *missing)
{
  abandon_file (run, FALSE, missing);
}

/* Begins the file of a section, which is not its first one if frames are missing, or in
 * another part of the archive. */
static gboolean
begin_file (PacoRestoreRun *run, const PacoRestoreItem *item, GError **error)
{
  const PacoKeptFile *kept = &item->kept;
  Member *file = &run->member->file;
  gboolean is_first = run->options->has_range
      || (item->info.has_place && item->info.place_number == 0);

  if (kept->section.number > 0 && is_first) {
    file->name = g_strdup (kept->name);
    file->size = kept->file_size;
    file->is_part = TRUE;
    file->n_frames = kept->section.number;
    file->offset = kept->section.offset;
    tell_part (run, file->name, FALSE);
    return TRUE;
  }
  return begin_member (
      run, file, kept->name, strlen (kept->name), kept->file_size, error);
}

/* Says whether the frame goes on with the file that is made. A damaged one does not say
 * which section it has. */
static gboolean
goes_on (const Member *file, const PacoKeptFile *kept)
{
  return file->name && strcmp (file->name, kept->name) == 0
      && (kept->section.n == 0 || kept->section.number > 0);
}

/* Reads which section comes, and whether it is the next one. */
static void
expect_section (PacoRestoreRun *run, const PacoKeptFile *kept, guint64 *missing)
{
  const PacoSection *section = &kept->section;
  Member *file = &run->member->file;
  guint64 gap = section->number - MIN (section->number, file->n_frames);
  guint64 told = join_missing (run, file, gap, missing);

  /* Before the first frame of the archive nothing was told. */
  if (!file->is_part)
    paco_file_count_report (&run->count, gap - told);
  if (!file->damage && !file->is_part
      && (file->offset != section->offset || file->n_frames != section->number
          || (file->n_sections > 0 && file->n_sections != section->n)
          || file->size != kept->file_size))
    file->damage = g_strdup ("frames of it are missing");
  file->n_sections = section->n;
  file->n_frames = section->number;
  file->offset = section->offset;
}

gboolean
paco_restore_section (PacoRestoreRun *run, PacoRestoreItem *item,
    guint64 *missing, GError **error)
{
  const PacoKeptFile *kept = &item->kept;
  const PacoSection *section = &kept->section;
  Member *file = &run->member->file;

  if (!goes_on (file, kept)) {
    abandon_file (run, FALSE, missing);
    if (!begin_file (run, item, error))
      return FALSE;
  }
  file->coded += item->frame.size;
  if (section->n > 0)
    expect_section (run, kept, missing);
  if (item->damage && !file->damage) {
    file->damage = section->n > 0
        ? g_strdup_printf ("its picture %u is damaged", section->number + 1)
        : g_strdup ("a frame of it is damaged");
    run->report->damaged += file->is_part;
  }
  if (!file->damage && !file->is_part
      && !add_bytes (file, item->room->rebuilt.file->data + kept->section_head,
          section->size, &kept->so_far, error))
    return FALSE;
  file->n_frames++;
  file->offset += section->size;
  return section->n == 0 || !paco_section_is_last (section)
      || end_member (run, file, &kept->so_far, error);
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
add_piece (PacoRestoreRun *run, Member *member, const PacoMemberPiece *piece,
    GError **error)
{
  g_autoptr (GError) broken = NULL;

  if (!check_ratio (run, piece, error))
    return FALSE;
  member->coded += piece->coded + piece->name_length;
  if (!member->damage
      && !paco_member_piece_decode (piece, run->member->plain, &broken))
    member->damage = g_strdup (broken->message);
  if (!member->damage && !member->is_part
      && !add_bytes (
          member, run->member->plain, piece->plain, &piece->checksums, error))
    return FALSE;
  member->offset += piece->plain;
  return !paco_member_piece_is_last (piece)
      || end_member (run, member, &piece->checksums, error);
}

/* Goes on with the file whose sections came, if the piece is of what follows them. */
static gboolean
is_of_file (const Member *file, const PacoMemberPiece *piece)
{
  return file->name && piece->offset > 0
      && strlen (file->name) == piece->name_length
      && memcmp (file->name, piece->name, piece->name_length) == 0
      && file->size == piece->size;
}

static gboolean
add_to_file (PacoRestoreRun *run, const PacoMemberPiece *piece, GError **error)
{
  Member *file = &run->member->file;

  if (file->offset != piece->offset && !file->damage && !file->is_part)
    file->damage = g_strdup ("frames of it are missing");
  file->offset = piece->offset;
  return add_piece (run, file, piece, error);
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
    tell_part (run, run->member->passed, FALSE);
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

  if (is_of_file (&members->file, piece))
    return add_to_file (run, piece, error);
  if (!continues (&members->now, piece) && continues (&members->outer, piece)) {
    break_off (run, &members->now);
    leave (members);
  }
  if (continues (&members->now, piece))
    return add_piece (run, &members->now, piece, error);
  if (piece->offset > 0) {
    break_off (run, &members->now);
    leave (members);
    pass_over (run, piece, is_first || run->options->has_range);
    return TRUE;
  }
  break_off (run, &members->outer);
  members->outer = members->now;
  members->now = (Member){ .folder = -1, .fd = -1 };
  return begin_member (run, &members->now, piece->name, piece->name_length,
             piece->size, error)
      && add_piece (run, &members->now, piece, error);
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
  Member *file = &run->member->file;
  gboolean is_part = is_whole || run->options->has_range;
  guint64 none = 0;

  if (file->name && !is_part && !file->is_part
      && file->n_sections > file->n_frames)
    paco_file_count_report (&run->count, file->n_sections - file->n_frames);
  abandon_file (run, is_part, &none);
  abandon (run, &run->member->now, is_part);
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
  members->file = members->now;
  return members;
}

void
paco_restore_member_free (PacoRestoreMember *members)
{
  close_member (&members->now);
  close_member (&members->outer);
  close_member (&members->file);
  g_free (members->passed);
  g_free (members->begins);
  g_free (members);
}
