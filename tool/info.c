/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco info: it prints what files and their frames are, by what headers
 * and indexes say. Nothing is decoded, and without --frames little is read. */
#include "codec/text.h"
#include "formats.h"
#include "input.h"
#include "members.h"
#include "names.h"
#include "timecode.h"
#include "tool.h"
#include "volumes.h"
#include <stdio.h>

#define MAX_CHUNKS 8192 /* of a frame: 32768 bytes have no more */

typedef struct
{
  gboolean frames, json;
  bool damaged;
} Info;

/* Collects what is known of a file. */
typedef struct
{
  PacoInfo first; /* of its first frame */
  bool has_first;
  char *timecode;           /* of its first frame, or NULL */
  uint64_t n_frames, bytes; /* bytes: of all frames; 0: not known */
  uint64_t missing, skipped;
  const char *reason; /* why the first skipped bytes are no frame, or NULL */
  const char *ending; /* what is wrong with a container's end, or NULL */
  bool is_cut;        /* It has lost frames. */
  /* bytes are those of a container, with sound, whose duration says n_frames. */
  bool is_container;
  GString *chunks;    /* names of those of the first frame */
  GPtrArray *members; /* Member: files of an archive that are no frames */
} File;

typedef struct
{
  char *name;
  uint64_t size;
  uint64_t n_frames; /* of a file of several pictures; 0: it is a member */
} Member;

/* --- what is counted from that --- */

static double
samples_of (const PacoInfo *info)
{
  double samples = 0;

  for (unsigned c = 0; c < info->n_components; c++) {
    uint32_t width, height;

    if (paco_component_size (info, c, 0, &width, &height, NULL)
        == PACO_STATUS_OK)
      samples += (double) width * height;
  }
  return samples;
}

/* Returns how many bits a sample of the pictures has; slices of stacks have
 * others. */
static uint32_t
depth_of (const PacoInfo *info, unsigned component)
{
  return info->stack_length ? info->stack_depth : info->depth[component];
}

static const char *
lossless_word (const PacoInfo *info)
{
  return info->lossless == 1 ? "lossless"
      : info->lossless == 0  ? "lossy"
                             : "unknown";
}

static const char *
components_word (const PacoInfo *info)
{
  static const char *const words[2][4] = {
    { "gray", "gray and alpha", "R, G, B", "R, G, B and alpha" },
    { "gray", "gray and alpha", "Y, Cb, Cr", "Y, Cb, Cr and alpha" },
  };

  if (info->mosaic)
    return "mosaic";
  return words[paco_format_is_yuv (info)][info->n_components - 1];
}

/* Returns "4:2:2", "" without subsampling, or "?" if there is no such word. */
static const char *
subsampling_word (const PacoInfo *info)
{
  static const char *const words[3][3] = {
    { "", "4:4:0", "?" },
    { "4:2:2", "4:2:0", "?" },
    { "4:1:1", "?", "4:1:0" },
  };

  if (info->n_components < 3 || info->mosaic)
    return "";
  return words[info->subsampling_x[1] % 3][info->subsampling_y[1] % 3];
}

static void
collect_chunks (const PacoFrame *frame, const PacoInfo *info, GString *names)
{
  PacoFrameChunk *chunks = NULL;
  size_t n = MIN (info->n_chunks, MAX_CHUNKS);

  chunks = g_new0 (PacoFrameChunk, MAX (n, 1));
  if (paco_frame_chunks (frame->data, frame->size, chunks, &n, NULL)
      != PACO_STATUS_OK)
    n = 0;
  for (size_t i = 0; i < MIN (n, info->n_chunks); i++) {
    const char *name = paco_names_chunk (chunks[i].type);

    if (i > 0 && chunks[i].type == chunks[i - 1].type)
      continue;
    g_string_append_printf (names, "%s%s", names->len ? ", " : "", name);
    if (g_str_equal (name, "unknown"))
      g_string_append_printf (names, " (%u)", chunks[i].type);
  }
  if (info->attachment_size > 0)
    g_string_append_printf (names, "%sattachment of %u bytes",
        names->len ? ", " : "", info->attachment_size);
  g_free (chunks);
}

/* --- frames, one a line --- */

static void
print_frame (const PacoFrame *frame, const PacoInfo *info, GString *json)
{
  g_autoptr (GString) chunks = g_string_new (NULL);

  collect_chunks (frame, info, chunks);
  if (json) {
    paco_json_open (json, NULL, '{');
    paco_json_number (json, "number", frame->number);
    paco_json_number (json, "offset", frame->offset);
    paco_json_number (json, "bytes", frame->size);
    paco_json_number (json, "width", info->width);
    paco_json_number (json, "height", info->height);
    paco_json_real (json, "bits_per_sample",
        8.0 * (double) frame->size / samples_of (info), "%.6g");
    paco_json_text (json, "coding", lossless_word (info));
    paco_json_text (json, "chunks", chunks->str);
    paco_json_close (json, '}');
  } else {
    printf ("%8" G_GUINT64_FORMAT " %14" G_GUINT64_FORMAT
            " %10zu %8.3f %6u x %-6u %-8s %s\n",
        frame->number, frame->offset, frame->size,
        8.0 * (double) frame->size / samples_of (info), info->width,
        info->height, lossless_word (info), chunks->str);
  }
}

static void
add_frame (
    const Info *options, File *file, PacoInputFrame *input, GString *json)
{
  const PacoFrame *frame = &input->frame;
  PacoInfo info = PACO_INFO_INIT;
  PacoTimecode timecode;

  if (!file->reason)
    file->reason = input->reason;
  file->missing += frame->missing;
  file->skipped += frame->skipped;
  if (!frame->data
      || paco_probe (frame->data, frame->size, &info, NULL, NULL)
          != PACO_STATUS_OK)
    return;
  if (!file->has_first) {
    file->has_first = true;
    file->first = info;
    collect_chunks (frame, &info, file->chunks);
    if (paco_timecode_of_frame (frame->data, frame->size, &timecode))
      file->timecode = paco_timecode_text (&timecode);
  }
  if (!options->frames)
    return;
  if (file->n_frames == 0 && !json)
    printf ("  number         offset      bytes bits/smp          picture "
            "coding   chunks\n");
  file->n_frames++;
  file->bytes += frame->size;
  print_frame (frame, &info, json);
}

static bool
read_file (const Info *options, PacoInput *input, File *file, GString *json,
    GError **error)
{
  PacoInputFrame frame;
  PacoInputResult result;

  do {
    result = paco_input_next (input, &frame, error);
    if (result == PACO_INPUT_ERROR)
      return false;
    add_frame (options, file, &frame, json);
    paco_input_release (&frame);
  } while (result == PACO_INPUT_FRAME && (options->frames || !file->has_first));
  if (!file->has_first)
    return paco_input_has_none (input, "no frame of PaCo video", error);
  file->ending = paco_input_ending (input, &file->is_cut);
  if (!options->frames) {
    file->n_frames = paco_input_count (input);
    file->bytes = input->size;
    file->is_container = input->container != NULL;
  }
  return true;
}

/* --- members --- */

static void
free_member (gpointer member)
{
  g_free (((Member *) member)->name);
  g_free (member);
}

static void
add_member (void *user, const char *name, uint64_t size, uint64_t n_frames)
{
  Member *member = g_new (Member, 1);

  *member = (Member){ g_strdup (name), size, n_frames };
  g_ptr_array_add (((File *) user)->members, member);
}

/* Prints members, or the files of several pictures. */
static void
print_members (const GPtrArray *members, bool of_pictures)
{
  const char *title = of_pictures ? "pictures  " : "members   ";

  for (guint i = 0; i < members->len; i++) {
    const Member *member = members->pdata[i];
    g_autofree char *shown = paco_text_show (member->name);

    if ((member->n_frames > 0) != of_pictures)
      continue;
    if (of_pictures)
      printf ("  %s %s, %" G_GUINT64_FORMAT " %s\n", title, shown,
          member->n_frames,
          paco_text_plural (member->n_frames, "frame", "frames"));
    else
      printf (
          "  %s %s, %" G_GUINT64_FORMAT " bytes\n", title, shown, member->size);
    title = "          ";
  }
}

static void
add_members_json (GString *json, const GPtrArray *members, bool of_pictures)
{
  paco_json_open (json, of_pictures ? "pictures" : "members", '[');
  for (guint i = 0; i < members->len; i++) {
    const Member *member = members->pdata[i];

    if ((member->n_frames > 0) != of_pictures)
      continue;
    paco_json_open (json, NULL, '{');
    paco_json_text (json, "name", member->name);
    paco_json_number (json, of_pictures ? "frames" : "size",
        of_pictures ? member->n_frames : member->size);
    paco_json_close (json, '}');
  }
  paco_json_close (json, ']');
}

/* --- a file --- */

static void
print_picture (const PacoInfo *info)
{
  const char *subsampling = subsampling_word (info);

  printf ("  picture    %u x %u, %s%s%s, %u", info->width, info->height,
      components_word (info), *subsampling ? " " : "", subsampling,
      depth_of (info, 0));
  for (unsigned c = 1; c < info->n_components; c++)
    if (info->depth[c] != info->depth[0]) {
      for (unsigned d = 1; d < info->n_components; d++)
        printf (", %u", info->depth[d]);
      break;
    }
  printf (" %s%s%s\n", paco_text_plural (depth_of (info, 0), "bit", "bits"),
      *info->format ? ", " : "", info->format);
  if (info->interlace_mode || info->fields)
    printf ("  fields     %s%s\n",
        paco_names_interlacing (info->interlace_mode),
        info->fields ? ", coded apart" : "");
  if (info->stack_length)
    printf ("  stacks     of %u pictures\n", info->stack_length);
  if (info->par_n != info->par_d)
    printf ("  aspect     pixels of %u:%u\n", info->par_n, info->par_d);
  printf ("  colours    matrix %s, transfer %s, primaries %s, range %s\n",
      paco_names_colour (info, PACO_COLOUR_MATRIX),
      paco_names_colour (info, PACO_COLOUR_TRANSFER),
      paco_names_colour (info, PACO_COLOUR_PRIMARIES),
      paco_names_colour (info, PACO_COLOUR_RANGE));
}

static void
print_amounts (const File *file)
{
  const PacoInfo *info = &file->first;
  double rate = paco_picture_rate (info), n = (double) file->n_frames;

  printf ("  frames     ");
  if (file->n_frames)
    printf ("%s%" G_GUINT64_FORMAT ", ", file->is_container ? "about " : "",
        file->n_frames);
  else
    printf ("not counted, ");
  if (rate == 0)
    printf ("rate unknown\n");
  else if (file->n_frames)
    printf ("%u/%u a second, %.3f s\n", info->fps_n, info->fps_d, n / rate);
  else
    printf ("%u/%u a second\n", info->fps_n, info->fps_d);
  if (file->bytes == 0 || file->n_frames == 0)
    return;
  if (file->is_container) {
    printf (
        "  bytes      %" G_GUINT64_FORMAT " in the whole file\n", file->bytes);
    return;
  }
  printf ("  bytes      %" G_GUINT64_FORMAT ", %.0f a frame, ", file->bytes,
      (double) file->bytes / n);
  if (rate > 0)
    printf ("%.3f Mbit/s, ", (double) file->bytes / n * 8 * rate / 1e6);
  printf ("%.3f bits a sample\n",
      8.0 * (double) file->bytes / n / samples_of (info));
}

static void
print_coding (const PacoInfo *info)
{
  printf ("  coding     %s, wavelet %s, %u %s, color transform %s, %u coding "
          "%s%s%s\n",
      info->lossless == 1       ? "lossless, as far as it says"
          : info->lossless == 0 ? "lossy"
                                : "lossless or lossy",
      paco_names_wavelet (info->wavelet[0]), info->levels,
      paco_text_plural (info->levels, "level", "levels"),
      paco_names_color_transform (info->color_transform), info->coding_passes,
      paco_text_plural (info->coding_passes, "pass", "passes"),
      info->block_checks ? ", block checks" : ", no block checks",
      info->cut_points ? ", cut points" : "");
}

static void
print_file (const char *name, const char *kind, const File *file)
{
  g_autofree char *shown = paco_text_show (name);

  printf ("%s: %s\n", shown, kind);
  print_picture (&file->first);
  print_amounts (file);
  if (file->timecode)
    printf ("  timecode   %s\n", file->timecode);
  print_coding (&file->first);
  if (file->chunks->len)
    printf ("  chunks     %s\n", file->chunks->str);
  print_members (file->members, true);
  print_members (file->members, false);
  if (file->missing || file->skipped)
    printf ("  damage     %" G_GUINT64_FORMAT " %s missing, %" G_GUINT64_FORMAT
            " %s to no frame%s%s\n",
        file->missing,
        paco_text_plural (file->missing, "frame is", "frames are"),
        file->skipped,
        paco_text_plural (file->skipped, "byte belongs", "bytes belong"),
        file->reason ? ": " : "", file->reason ? file->reason : "");
  if (file->ending)
    printf ("  %s     %s\n", file->is_cut ? "damage" : "note  ", file->ending);
}

static void
add_json (GString *json, const char *name, const char *kind, const File *file)
{
  const PacoInfo *info = &file->first;
  double rate = paco_picture_rate (info);

  paco_json_text (json, "file", name);
  paco_json_text (json, "kind", kind);
  paco_json_number (json, "width", info->width);
  paco_json_number (json, "height", info->height);
  paco_json_text (json, "components", components_word (info));
  paco_json_text (json, "subsampling", subsampling_word (info));
  paco_json_open (json, "depth", '[');
  for (unsigned c = 0; c < info->n_components; c++)
    paco_json_number (json, NULL, depth_of (info, c));
  paco_json_close (json, ']');
  paco_json_text (json, "format", info->format);
  paco_json_text (
      json, "interlacing", paco_names_interlacing (info->interlace_mode));
  paco_json_open (json, "pixel_aspect_ratio", '[');
  paco_json_number (json, NULL, info->par_n);
  paco_json_number (json, NULL, info->par_d);
  paco_json_close (json, ']');
  paco_json_open (json, "frame_rate", '[');
  paco_json_number (json, NULL, info->fps_n);
  paco_json_number (json, NULL, info->fps_d);
  paco_json_close (json, ']');
  paco_json_text (json, "matrix", paco_names_colour (info, PACO_COLOUR_MATRIX));
  paco_json_text (
      json, "transfer", paco_names_colour (info, PACO_COLOUR_TRANSFER));
  paco_json_text (
      json, "primaries", paco_names_colour (info, PACO_COLOUR_PRIMARIES));
  paco_json_text (json, "range", paco_names_colour (info, PACO_COLOUR_RANGE));
  paco_json_number (json, "frames", file->n_frames);
  if (rate > 0)
    paco_json_real (json, "seconds", (double) file->n_frames / rate, "%.6g");
  if (file->timecode)
    paco_json_text (json, "timecode", file->timecode);
  paco_json_number (json, "bytes", file->bytes);
  if (file->bytes && file->n_frames && !file->is_container)
    paco_json_real (json, "bits_per_sample",
        8.0 * (double) file->bytes / (double) file->n_frames
            / samples_of (info),
        "%.6g");
  paco_json_text (json, "coding", lossless_word (info));
  if (info->stack_length)
    paco_json_number (json, "stack", info->stack_length);
  paco_json_text (json, "wavelet", paco_names_wavelet (info->wavelet[0]));
  paco_json_number (json, "levels", info->levels);
  paco_json_text (json, "color_transform",
      paco_names_color_transform (info->color_transform));
  paco_json_number (json, "coding_passes", info->coding_passes);
  paco_json_boolean (json, "block_checks", info->block_checks);
  paco_json_boolean (json, "cut_points", info->cut_points);
  paco_json_text (json, "chunks", file->chunks->str);
  add_members_json (json, file->members, true);
  add_members_json (json, file->members, false);
  paco_json_number (json, "missing_frames", file->missing);
  paco_json_number (json, "skipped_bytes", file->skipped);
  if (file->reason)
    paco_json_text (json, "reason", file->reason);
  if (file->ending)
    paco_json_text (json, file->is_cut ? "cut" : "note", file->ending);
}

static bool
tell_file (Info *options, const char *path, GString *json, GError **error)
{
  g_autoptr (PacoInput) input = paco_input_open (path, error);
  g_autoptr (GString) frames = options->json ? g_string_new (NULL) : NULL;
  File file = { .chunks = g_string_new (NULL),
    .members = g_ptr_array_new_with_free_func (free_member) };
  bool good = input && read_file (options, input, &file, frames, error);

  if (good)
    paco_members_list (path, add_member, &file);
  if (good && options->json) {
    paco_json_open (json, NULL, '{');
    add_json (json, input->name, input->kind, &file);
    if (options->frames) {
      paco_json_open (json, "frame_list", '[');
      g_string_append (json, frames->str);
      paco_json_close (json, ']');
    }
    paco_json_close (json, '}');
  } else if (good) {
    print_file (input->name, input->kind, &file);
  }
  options->damaged |= file.missing || file.skipped || file.is_cut;
  g_free (file.timecode);
  g_string_free (file.chunks, TRUE);
  g_ptr_array_unref (file.members);
  return good;
}

static const PacoToolUsage usage = {
  .arguments = "FILE...",
  .summary = "Says what files of PaCo video are, by their first frame.",
  .description =
      "A line of --frames is: number, offset in the file, bytes, bits a "
      "sample, picture,\nlossless or lossy, ancillary chunks.",
  .minimum = 1,
  .maximum = -1,
};

int
paco_tool_info (int argc, char **argv)
{
  Info options = { 0 };
  const GOptionEntry entries[] = {
    PACO_FLAG ("frames", &options.frames,
        "reads all frames and says what each of them is"),
    PACO_FLAG ("json", &options.json, "prints JSON: a list of files"),
    { NULL },
  };
  g_autoptr (GString) json = NULL;
  int code = PACO_EXIT_DONE;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return PACO_EXIT_USAGE;
  paco_signals_catch ();
  json = g_string_new ("[");
  argc = 1 + paco_volumes_drop (argv + 1, argc - 1);
  for (int i = 1; i < argc; i++) {
    GError *error = NULL;

    if (!tell_file (&options, argv[i], json, &error))
      code = paco_tool_fail (error);
  }
  if (options.json)
    printf ("%s]\n", json->str);
  return code == PACO_EXIT_DONE && options.damaged ? PACO_EXIT_DAMAGE : code;
}
