/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the members of archives (members.h). */
#include "members.h"
#include "tool/archive/member.h"
#include "codec/header.h"
#include <string.h>

/* Reads the frame, or if head_only is set its header, to memory, if it is not there.
 * Returns its bytes, or NULL. */
static const uint8_t *
read_frame (const PacoInput *input, const PacoFrame *frame, bool head_only,
    GByteArray *bytes)
{
  PacoFrame wanted = *frame;

  if (frame->data)
    return frame->data;
  if (head_only)
    wanted.size = MIN (wanted.size, PACO_MAX_HEADER_SIZE);
  g_byte_array_set_size (bytes, (guint) wanted.size);
  return paco_input_read (input, &wanted, bytes->data, NULL) ? bytes->data
                                                             : NULL;
}

/* What is done with each frame, of which at least the header is at `head`. */
typedef void (*FrameFunc) (void *user, const PacoInput *input,
    const PacoFrame *frame, const uint8_t *head, gsize size,
    const PacoMemberCount *count);

static void
look_through (
    const char *path, const PacoFrameRange *range, FrameFunc look, void *user)
{
  g_autoptr (PacoInput)
      input = strcmp (path, "-") == 0 ? NULL : paco_input_open (path, NULL);
  g_autoptr (GByteArray) head = g_byte_array_new ();
  PacoInputFrame found;
  bool more = input && input->size > 0
      && (range->first == 0 || paco_input_seek (input, range->first, NULL));

  while (more && paco_input_find (input, &found, NULL) == PACO_INPUT_FRAME) {
    PacoFrame *frame = &found.frame;
    const uint8_t *bytes = read_frame (input, frame, true, head);
    PacoMemberCount count = { 0 };
    gsize size = frame->data ? frame->size : head->len;

    /* An archive without members says so in its first frame. */
    more = frame->number < range->last && bytes
        && paco_member_count_read (bytes, size, &count);
    if (bytes && frame->number >= range->first && frame->number <= range->last)
      look (user, input, frame, bytes, size, &count);
    paco_input_release (&found);
  }
}

static void
add_ends (void *user, const PacoInput *input, const PacoFrame *frame,
    const uint8_t *head, gsize size, const PacoMemberCount *count)
{
  *(uint32_t *) user += count->n_ends;
}

uint32_t
paco_members_count (const char *path, const PacoFrameRange *range)
{
  uint32_t n = 0;

  look_through (path, range, add_ends, &n);
  return n;
}

/* --- the list -------------------------------------------------------------- */

typedef struct
{
  PacoMemberFunc tell;
  void *user;
  GByteArray *bytes;
  char *file;        /* whose pictures come, or NULL, */
  uint64_t n_frames; /* and how many */
} List;

static void
end_file (List *list)
{
  if (list->file)
    list->tell (list->user, list->file, 0, list->n_frames);
  g_clear_pointer (&list->file, g_free);
  list->n_frames = 0;
}

/* Counts the frames of a file of several pictures. */
static void
count_section (List *list, const uint8_t *head, gsize size)
{
  PacoKeptFile kept;
  guint32 rest;

  paco_kept_file_init (&kept);
  if (!paco_kept_file_peek (head, size, &kept, &rest, NULL))
    kept.is_section = FALSE;
  if (list->file && (!kept.is_section || strcmp (list->file, kept.name) != 0))
    end_file (list);
  if (kept.is_section && !list->file)
    list->file = g_strdup (kept.name);
  list->n_frames += kept.is_section;
  paco_kept_file_clear (&kept);
}

static void
list_pieces (void *user, const PacoInput *input, const PacoFrame *frame,
    const uint8_t *head, gsize size, const PacoMemberCount *count)
{
  List *list = user;
  const uint8_t *bytes;
  PacoMemberPieces pieces;
  PacoMemberPiece piece;

  count_section (list, head, size);
  if (count->n_pieces == 0)
    return;
  bytes = read_frame (input, frame, false, list->bytes);
  if (!bytes || !paco_member_pieces_begin (bytes, frame->size, &pieces, NULL))
    return;
  while (paco_member_pieces_next (&pieces, &piece, NULL)) {
    g_autofree char *name = NULL;

    if (!paco_member_piece_is_last (&piece))
      continue;
    name = g_strndup (piece.name, piece.name_length);
    list->tell (list->user, name, piece.size, 0);
  }
}

void
paco_members_list (const char *path, PacoMemberFunc tell, void *user)
{
  const PacoFrameRange all = { 0, G_MAXUINT64 };
  List list = { tell, user, g_byte_array_new (), NULL, 0 };

  look_through (path, &all, list_pieces, &list);
  end_file (&list);
  g_byte_array_unref (list.bytes);
}

/* --- cutting --------------------------------------------------------------- */

/* Says whether the piece goes on with the one before it. */
static bool
begun (const PacoMemberPiece *last, const PacoMemberPiece *piece)
{
  return last->name_length == piece->name_length
      && memcmp (last->name, piece->name, piece->name_length) == 0;
}

/* Says of the file whose section the frame has that others are in another part. */
static void
tell_cut_section (const PacoFrame *frame, bool is_first, PacoProgress *progress)
{
  PacoKeptFile kept;

  paco_kept_file_init (&kept);
  if (paco_kept_file_read (frame->data, frame->size, &kept, NULL)
      && kept.is_section
      && (is_first ? kept.section.number > 0
                   : !paco_section_is_last (&kept.section)))
    paco_progress_complain (progress,
        "%s, which has several pictures, lies on frames %s these, too: it "
        "comes back when the parts are joined",
        kept.name, is_first ? "before" : "after");
  paco_kept_file_clear (&kept);
}

void
paco_members_tell_cut (
    const PacoFrame *frame, bool is_first, PacoProgress *progress)
{
  PacoMemberPieces pieces;
  PacoMemberPiece piece, last = { NULL }, cut = { NULL };

  tell_cut_section (frame, is_first, progress);
  if (!paco_member_pieces_begin (frame->data, frame->size, &pieces, NULL))
    return;
  while (paco_member_pieces_next (&pieces, &piece, NULL)) {
    bool goes_on = is_first
        ? piece.offset > 0 && !cut.name && !begun (&last, &piece)
        : pieces.left == 0 && !paco_member_piece_is_last (&piece);

    if (goes_on)
      cut = piece;
    last = piece;
  }
  if (cut.name)
    paco_progress_complain (progress,
        "%.*s, which is no picture, lies on frames %s these, too: it comes "
        "back when the parts are joined",
        (int) cut.name_length, cut.name, is_first ? "before" : "after");
}
