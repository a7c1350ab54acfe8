/* SPDX-License-Identifier: LGPL-2.1-or-later
 * libpaco: pictures to PaCo frames and back, without GStreamer. This is the one
 * header that applications include; it is C99, C11 and C++11, and needs no other
 * library. pkg-config calls it "paco".
 *
 *   decoder = paco_frame_decoder_new ();
 *   paco_frame_decoder_set (decoder, "reduce", "1", &error);      (if wanted)
 *   paco_frame_decoder_decode (decoder, bytes, size, &image, &result, &error);
 *   paco_frame_decoder_free (decoder);
 *
 * and the same for paco_frame_encoder_*(). Where several frames are to be worked on
 * at once, submit() and collect() stand for decode() and encode().
 *
 * Threads: different coders may be used by different threads at the same time; one
 * coder by one thread at a time. There is no global state.
 *
 * Errors: functions return a PacoStatus. Unless it is PACO_STATUS_OK they have done
 * nothing but fill in the PacoError that the caller hands in, whose message is a
 * sentence for the user. It may be NULL.
 *
 * ABI: functions are versioned symbols. Structs keep their size for ever, but for
 * PacoInfo and PacoExtras, which begin with the size that the application was compiled
 * with and may get more fields behind those that there are.
 * Coders are opaque, and what can be set of them is set by name. */
#ifndef PACO_H
#define PACO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PACO_API __attribute__ ((visibility ("default")))
#else
#define PACO_API
#endif

#define PACO_COMPONENTS 4 /* of a picture, at most */

/* The version of the library that runs, as in "0.2.0". */
PACO_API const char *paco_version (void);

/* --- Errors --- */

/* Later versions may have more of them. */
typedef enum PacoStatus
{
  PACO_STATUS_OK = 0,
  PACO_STATUS_INVALID = 1,     /* an argument cannot be what it is */
  PACO_STATUS_UNSUPPORTED = 2, /* settings or a picture that cannot be coded */
  PACO_STATUS_NOT_PACO = 3,    /* the bytes do not begin with a frame */
  PACO_STATUS_VERSION = 4,     /* a frame of a later version of the format */
  PACO_STATUS_CORRUPT = 5,     /* a frame that contradicts itself, or is cut */
  PACO_STATUS_MORE = 6,        /* paco_probe(): more bytes are needed */
  PACO_STATUS_MEMORY = 7,      /* memory could not be had */
  /* The GPU is lost, or failed. The memory of pictures and frames in flight may
   * not be freed before the process ends: the GPU may still use it. */
  PACO_STATUS_DEVICE = 8,
  PACO_STATUS_NO_DEVICE = 9, /* this machine has no such GPU */
  PACO_STATUS_BUSY = 10,     /* frames in flight must be collected before */
  PACO_STATUS_EMPTY = 11,    /* there is no further frame; or none in flight */
  PACO_STATUS_IO =
      12 /* a file cannot be read or written; the system says why */
} PacoStatus;

typedef struct PacoError
{
  PacoStatus status;
  char message[508]; /* UTF-8, zero-terminated; "" with PACO_STATUS_OK */
} PacoError;

/* --- What a frame is --- */

/* x, y of red, green, blue and the white point in 1/50000; luminances in 1/10000
 * cd/m2. */
typedef struct PacoMastering
{
  uint32_t primaries[3][2], white_point[2];
  uint32_t max_luminance, min_luminance;
} PacoMastering;

/* What a frame's header says; and what an encoder is told of the pictures to come.
 * The numbers of interlace_mode up to primaries are those of FORMAT.md section 2, 0
 * being "unknown" or "progressive". Later versions may append fields. */
typedef struct PacoInfo
{
  size_t struct_size; /* sizeof (PacoInfo), by the application */

  /* The picture. */
  uint32_t width, height; /* samples of component 0, 1..16384 each */
  /* 1..4: gray; Y, Cb, Cr; or R, G, B. Alpha is the last of two or four. */
  uint32_t n_components;
  uint32_t depth[PACO_COMPONENTS]; /* bits of a sample, 1..16 */
  /* log2 of how many columns, and lines, of the picture a sample of the component
   * stands for: 0..2, of component 0 0. */
  uint32_t subsampling_x[PACO_COMPONENTS], subsampling_y[PACO_COMPONENTS];
  uint32_t fields; /* 1: even and odd lines are coded apart */

  /* What the application wants back; the codec carries it. */
  char format[16]; /* GStreamer's name of the format, as "I422_10LE", or "" */
  uint32_t par_n, par_d; /* pixel aspect ratio; 0 and 0 stand for 1 and 1 */
  uint32_t fps_n, fps_d; /* frames a second; 0 and 0, or 0 and 1: unknown */
  uint32_t
      interlace_mode; /* 0..3: progressive, interleaved, mixed, alternate */
  /* Bits: 2 the top field is first, 4 the first field is repeated, 8 only one field
   * is valid. */
  uint32_t picture_flags;
  uint32_t field_order, chroma_site;
  uint32_t range;  /* 0 unknown, 1 full, 2 limited */
  uint32_t matrix; /* 0 unknown, 1 RGB, 3 BT.709, 4 BT.601, 6 BT.2020, ... */
  uint32_t transfer, primaries;
  uint32_t has_mastering, has_content_light, has_views, has_place; /* 0 or 1 */
  PacoMastering mastering;
  uint32_t max_content_light, max_frame_average_light; /* cd/m2 */
  uint32_t multiview_mode, multiview_flags;            /* FORMAT.md, chunk 5 */
  /* Where the frame stands in the stream it was made for: its number from 0 on, and
   * the bytes of all frames before it. */
  uint32_t place_number;
  uint64_t place_offset;

  /* What only paco_probe() fills in, and encoders do not read. The numbers are those
   * of FORMAT.md section 2. */
  uint32_t version;
  uint32_t wavelet[PACO_COMPONENTS];
  uint32_t color_transform, coding_passes;
  uint32_t block_checks, cut_points; /* 0 or 1: whether the frame has them */
  uint32_t n_chunks; /* ancillary ones, which paco_frame_chunks() gives */
  uint32_t header_size, index_size; /* bytes */
  uint32_t frame_size;              /* bytes, with header and index */
  uint32_t levels; /* how often the picture can be halved (setting "reduce") */
  /* 0: coding has lost something; 1: nothing in the frame says so; 2: it cannot be
   * known before header_size + index_size bytes are there. (All that is lost may be
   * blocks that became zero, which look like black ones.) */
  uint32_t lossless;
  uint32_t attachment_size; /* bytes of what paco_frame_attachment() gives */
  /* Of a slice of a stack (FORMAT.md section 12), which is no picture by itself: the
   * number of the stack, its slices, which one this is, and bits of the pictures'
   * samples. stack_length is 0 of other frames. */
  uint32_t stack_number, stack_length, stack_position, stack_depth;
} PacoInfo;

/* Initializer: everything unknown. */
/* clang-format off */
#ifdef __cplusplus
#define PACO_INFO_INIT { sizeof (PacoInfo) }
#else
#define PACO_INFO_INIT { .struct_size = sizeof (PacoInfo) }
#endif
/* clang-format on */

/* So many bytes tell paco_probe() how many it needs. */
#define PACO_PROBE_SIZE 20

/* Reads the header of the frame that begins at data, of which size bytes are there.
 * PACO_STATUS_MORE if these are too few: then *needed, which may be NULL, is with how
 * many to call it again. With PACO_STATUS_OK it is the bytes of the header. Other
 * errors: INVALID, NOT_PACO, VERSION, CORRUPT. */
PACO_API PacoStatus paco_probe (const void *data, size_t size, PacoInfo *info,
    size_t *needed, PacoError *error);

/* --- Frames in memory --- */

/* An encoded frame, which an encoder or a reader of files gives, in memory of the
 * library until it is released. */
typedef struct PacoFrame
{
  void *data;
  size_t size;
  void *user;  /* that of submit() */
  void *owner; /* the library's */
  /* Of a frame in a file. */
  uint64_t
      number; /* from 0 on; missing ones count, where frames tell of them */
  uint64_t offset;      /* the byte of the file where it begins */
  uint64_t skipped;     /* bytes before it that belong to no whole frame */
  uint64_t missing;     /* frames that are missing before it */
  uint64_t reserved[4]; /* 0 */
} PacoFrame;

/* Any number of frames may be kept, for any time; released by any thread, and after
 * what they came from was freed. *frame, which may be NULL or empty, is empty
 * afterwards. */
PACO_API void paco_frame_release (PacoFrame *frame);

#define PACO_FIRST_CHUNK 7
#define PACO_LAST_CHUNK 255
/* Of all chunks of a frame together, at most; each takes 4 bytes more than it has. */
#define PACO_MAX_CHUNK_BYTES 32768

/* An ancillary chunk: captions, timecodes and the like, as FORMAT.md section 3.1 has
 * them, or what an application wants to keep with a picture. The codec carries types
 * that have no meaning there as they are. */
typedef struct PacoFrameChunk
{
  uint32_t type;     /* PACO_FIRST_CHUNK..PACO_LAST_CHUNK */
  uint32_t reserved; /* 0 */
  const void *data;  /* may be NULL if size is 0 */
  size_t size;
} PacoFrameChunk;

/* The ancillary chunks of the frame that begins at data, of which at least the header
 * is there, in the order in which they were written. The first *n at most are put into
 * chunks, which may be NULL if *n is 0; *n becomes how many there are. They point into
 * data. Errors: those of paco_probe(). */
PACO_API PacoStatus paco_frame_chunks (const void *data, size_t size,
    PacoFrameChunk *chunks, size_t *n, PacoError *error);

/* Of a frame's attachment, at most. */
#define PACO_MAX_ATTACHMENT_BYTES (1 << 28)

/* The attachment of the whole frame that begins at data: bytes that the codec carries
 * behind the picture, and nothing else (FORMAT.md section 3.2). *attachment points into
 * data; it is NULL, and *attachment_size 0, if there is none. Errors: those of
 * paco_probe(); CORRUPT also if the frame is cut, or if these are not the bytes that were
 * written. */
PACO_API PacoStatus paco_frame_attachment (const void *data, size_t size,
    const void **attachment, size_t *attachment_size, PacoError *error);

/* Changes the place of a frame that has one (PacoInfo.has_place): an application that
 * puts frames one behind the other knows its offset only when those before it are
 * coded. Errors: those of paco_probe(); UNSUPPORTED if the frame has no place. */
PACO_API PacoStatus paco_frame_set_place (void *data, size_t size,
    uint32_t number, uint64_t offset, PacoError *error);

/* Compares the bytes of a whole frame with the checks in it, which is many times faster
 * than to decode it. *broken is how many of its *blocks are not what was written; both
 * may be NULL. Errors: those of paco_probe() and CORRUPT if header, index or attachment are
 * not what was written or the frame is cut; UNSUPPORTED if it was coded without block-checks. */
PACO_API PacoStatus paco_frame_check (const void *data, size_t size,
    uint32_t *broken, uint32_t *blocks, PacoError *error);

/* --- Pictures in memory --- */

#define PACO_GROUP_SAMPLES 8

/* How the samples of a component lie in a line: in groups of group_bytes bytes that
 * hold group_samples samples of the component. Sample i of a group is the bits
 * [shift, shift + depth) of the word of word_bytes bytes that begins at byte
 * places[i].byte of the group; words need no alignment. With swap_words, byte b of a
 * line, as this counts, is at b ^ 3: the 32-bit words of lines are swapped, and
 * strides are multiples of 4. So v210, RGBA or all packings of DPX are layouts.
 * Components whose data are equal share their groups. */
typedef struct PacoLayout
{
  uint8_t group_bytes;   /* 1..48 */
  uint8_t group_samples; /* 1..PACO_GROUP_SAMPLES */
  uint8_t word_bytes;    /* 1, 2 or 4 */
  uint8_t fill;          /* 0 or 0xff: bits that no sample covers become this */
  uint8_t big_endian;    /* 1: the first byte of a word is its highest one */
  uint8_t
      swap_words; /* 1: the bytes of each 32-bit word of a line are swapped */
  struct
  {
    uint8_t byte, shift;
  } places[PACO_GROUP_SAMPLES];
} PacoLayout;

/* A picture in memory of the application. stride is in bytes from a line to the next
 * one of the picture, and may be negative; data then points into the end of the
 * memory. size says how many bytes, from the first byte of its first line in memory
 * on, belong to the component: at least |stride| for each line but the last one, and
 * the groups of that. Nothing outside of them is touched. */
typedef struct PacoImage
{
  void *data[PACO_COMPONENTS]; /* the first line of each component */
  ptrdiff_t stride[PACO_COMPONENTS];
  size_t size[PACO_COMPONENTS];
  PacoLayout layout[PACO_COMPONENTS];
  uint32_t where;    /* PACO_IN_HOST_MEMORY or PACO_IN_CUDA_MEMORY */
  uint32_t reserved; /* 0 */
  /* Of CUDA memory: the stream (CUstream, cudaStream_t) with whose work so far the
   * memory becomes ready to be read, or written. NULL: it is ready. */
  void *stream;
  uint64_t more[4]; /* 0 */
} PacoImage;

/* Where a picture lies. */
enum
{
  PACO_IN_HOST_MEMORY =
      0, /* what the CPU reads and writes; page-locked or not */
  /* Addresses of the GPU, in the context of paco_frame_decoder_use_context() or
   * paco_frame_encoder_use_context(), where the picture is read, or written, without
   * a copy. paco_*_submit() does not wait for the stream. What collect() has returned
   * is finished on the GPU. No regions are decoded to there. */
  PACO_IN_CUDA_MEMORY = 1
};

/* How paco_image_init() lays samples out. */
enum
{
  PACO_IMAGE_PLANES = 0,          /* component by component */
  PACO_IMAGE_INTERLEAVED = 1,     /* as in RGBRGB; without subsampling only */
  PACO_IMAGE_BIG_ENDIAN = 1 << 1, /* of samples of two bytes */
  PACO_IMAGE_TWO_BYTES = 1 << 2   /* also where one would do */
};

/* Columns and lines of a component of the picture, when a decoder leaves out
 * `reduce` levels. Errors: INVALID, UNSUPPORTED. */
PACO_API PacoStatus paco_component_size (const PacoInfo *info,
    unsigned component, unsigned reduce, uint32_t *width, uint32_t *height,
    PacoError *error);

/* Fills *image for a picture of that size: samples in the low bits of words of one
 * byte, or of two if any component has more than 8 bits, without gaps. memory is NULL
 * or has *bytes bytes, which the function says; call it twice. Big-endian words of two
 * bytes are what PNM and PNG want. Errors: INVALID, UNSUPPORTED. */
PACO_API PacoStatus paco_image_init (PacoImage *image, const PacoInfo *info,
    unsigned reduce, unsigned how, void *memory, size_t *bytes,
    PacoError *error);

/* Memory for pictures or frames that the GPU of a coder reads and writes by itself
 * (page-locked), which spares copies on the CPU; ordinary memory where the CPU codes.
 * paco_frame_decoder_allocate() and paco_frame_encoder_allocate() give it. It is
 * expensive to get: keep it and use it again. */
typedef struct PacoBuffer
{
  void *data; /* aligned to 64 bytes at least; not cleared */
  size_t size;
  void *owner; /* the library's */
} PacoBuffer;

/* By any thread, also after the coder was freed, but not while a coder may use it.
 * *buffer, which may be NULL or empty, is empty afterwards. */
PACO_API void paco_buffer_release (PacoBuffer *buffer);

/* --- Decoding --- */

typedef struct PacoFrameDecoder PacoFrameDecoder;

/* NULL without memory. No device is opened yet. */
PACO_API PacoFrameDecoder *paco_frame_decoder_new (void);
/* Waits for what is in flight and drops it. The decoder may be NULL. */
PACO_API void paco_frame_decoder_free (PacoFrameDecoder *decoder);

/* Sets one thing; value is text. Names and values are those of the element pacodec:
 *
 *   backend          auto (a GPU if there is one that works, else the CPU), cpu, cuda
 *   cuda-device-id   number of the GPU; -1: the least loaded one
 *   cuda-devices     several GPUs, to which frames go in turn: "0,1" or "all"
 *   threads          of the CPU; 0: as many as may run
 *   pipeline-depth   frames in flight on a device, 1..8; default 2
 *   max-pixels       of a picture; what a header asks for beyond is refused
 *   conceal          true, false: whether broken blocks of the lowest subbands are
 *                    replaced by something better than zeros
 *   slices           true, false: whether slices of stacks are decoded, as pictures of
 *                    16 bits, of which paco_stack_pictures() makes those of the stack;
 *                    else they are refused, as they are no pictures
 *   reduce           levels to leave out, 0..8: the picture is 2^reduce times smaller
 *   region           "x,y,width,height" of the (reduced) picture: only that is decoded;
 *                    "" is all of it
 *
 * The last three may change between frames, the others before the first one. A region's
 * x and y are multiples of what a group of samples and a subsampled sample cover (and
 * of twice that, vertically, where fields are coded apart); with swap_words, of so
 * many groups that the bytes before them are a multiple of 4. Blocks that do not show in
 * it are not decoded, but the transform runs over the whole picture. The last group of
 * a line may hold samples of the picture beyond the region.
 * Errors: INVALID, BUSY. */
PACO_API PacoStatus paco_frame_decoder_set (PacoFrameDecoder *decoder,
    const char *name, const char *value, PacoError *error);

/* The decoder works in a CUDA context (CUcontext) of the application, to which it
 * decodes pictures in CUDA memory and in the host's. cuda-device-id and cuda-devices
 * do not count then. It must stay until the decoder is freed; if the GPU was lost, until
 * the process ends. An application of the CUDA runtime hands in what
 * cuDevicePrimaryCtxRetain() gives. NULL: a context of its own. Errors: INVALID; BUSY
 * after the first frame. */
PACO_API PacoStatus paco_frame_decoder_use_context (
    PacoFrameDecoder *decoder, void *context, PacoError *error);

/* Opens the device, so that settings that come before the first frame come before this.
 * Once the device is open any thread may call it, while another one uses the coder.
 * Errors: INVALID, MEMORY, and those of a device. */
PACO_API PacoStatus paco_frame_decoder_allocate (PacoFrameDecoder *decoder,
    size_t size, PacoBuffer *buffer, PacoError *error);

/* Bytes of a frame decoded. */
typedef struct PacoResult
{
  void *user; /* that of submit() */
  uint32_t corrupted_blocks;
  uint32_t concealed_blocks; /* of these; the others were taken as zero */
  uint64_t reserved[6];      /* 0 */
} PacoResult;

/* Decodes the frame at data, which has size bytes (more do not matter), into the
 * memory of *image, whose size is that of the picture, reduced and cut to the region.
 * result may be NULL. Damage is no error: PacoResult says of it. What image shows is
 * undefined after an error. Errors: all of them; BUSY if anything is in flight. */
PACO_API PacoStatus paco_frame_decoder_decode (PacoFrameDecoder *decoder,
    const void *data, size_t size, const PacoImage *image, PacoResult *result,
    PacoError *error);

/* The same in two steps. submit() returns at once; data and the image's memory, but
 * not *image, must stay as they are until collect() has returned the frame. BUSY, and
 * nothing submitted, if as many frames are in flight as there may be, or if this one
 * is of another size or kind than those: collect() first. collect() waits for the
 * oldest frame; its status is that frame's, whose result is filled in any case. It is
 * EMPTY if nothing is in flight. */
PACO_API PacoStatus paco_frame_decoder_submit (PacoFrameDecoder *decoder,
    const void *data, size_t size, const PacoImage *image, void *user,
    PacoError *error);
PACO_API PacoStatus paco_frame_decoder_collect (
    PacoFrameDecoder *decoder, PacoResult *result, PacoError *error);

/* What decodes, as "cpu: 2 threads, avx512"; "" before the first frame. */
PACO_API const char *paco_frame_decoder_device (
    const PacoFrameDecoder *decoder);

/* Each sample of a slice that is missing. */
#define PACO_NO_SLICE 0x8000

/* Makes the pictures of a stack (FORMAT.md section 12) of its slices. The header of any
 * frame of the stack is at data. slices[p], for p below PacoInfo.stack_length, points to
 * the width * height samples of slice p, without gaps, as a decoder with slices=true has
 * decoded it (whole, reduced or a region) to words of two bytes in the byte order of this
 * machine; what becomes of them is undefined. Those of a slice that is missing are
 * PACO_NO_SLICE: then pictures of the stack are damaged, and without that of position 0
 * they show nothing. Picture p, of PacoInfo.stack_depth bits, is written to *images[p],
 * which is in the host's memory; it is not if images[p] is NULL.
 * Errors: those of paco_probe(); INVALID; UNSUPPORTED if the frame is no slice. */
PACO_API PacoStatus paco_stack_pictures (const void *data, size_t size,
    uint16_t *const *slices, uint32_t width, uint32_t height,
    const PacoImage *const *images, PacoError *error);

/* --- Encoding --- */

typedef struct PacoFrameEncoder PacoFrameEncoder;

PACO_API PacoFrameEncoder *paco_frame_encoder_new (void);
PACO_API void paco_frame_encoder_free (PacoFrameEncoder *encoder);

/* As paco_frame_decoder_set(); names and values are those of the element pacoenc:
 * backend, cuda-device-id, cuda-devices, threads, pipeline-depth as above, and
 *
 *   rate-control     quality, lossless, bitrate
 *   quality          0..100; 90, the default, is visually lossless
 *   bitrate          kbit/s, for rate-control=bitrate
 *   frame-size       bytes of a frame, for the same; goes before bitrate
 *   tune             visual, psnr
 *   wavelet          auto, cdf53, cdf97, dd137, haar, dd97, fidelity
 *   color-transform  auto, none, rct, ict, rct2
 *   levels           0..8; default 5; fidelity takes fewer of deep samples: 5 of 12
 *                    bits, 3 of 16
 *   codeblock-height 0 (auto), 32, 64, 128, 256
 *   coding-passes    1..3
 *   complexity       0..3
 *   roi-weight       1..1024: how much finer the steps are in areas (PacoExtras)
 *   block-checks     true, false: a check for each block, by which damage is found
 *   cut-points       true, false: frames can be made smaller later
 *
 * quality, bitrate and frame-size may change with frames in flight, the other ones of
 * this list when there are none. */
PACO_API PacoStatus paco_frame_encoder_set (PacoFrameEncoder *encoder,
    const char *name, const char *value, PacoError *error);

/* Has the decoder use the encoder's threads, so that both together use as many of the CPU
 * as the encoder's setting `threads` says; on GPUs it changes nothing. Both open their
 * devices. Either may be freed first. Errors: INVALID; BUSY if the decoder's device is
 * open already; those of opening a device. */
PACO_API PacoStatus paco_frame_decoder_share_threads (
    PacoFrameDecoder *decoder, PacoFrameEncoder *encoder, PacoError *error);

/* As paco_frame_decoder_use_context(). */
PACO_API PacoStatus paco_frame_encoder_use_context (
    PacoFrameEncoder *encoder, void *context, PacoError *error);

/* As paco_frame_decoder_allocate(). */
PACO_API PacoStatus paco_frame_encoder_allocate (PacoFrameEncoder *encoder,
    size_t size, PacoBuffer *buffer, PacoError *error);

/* What the pictures to come are. Errors: INVALID, UNSUPPORTED; BUSY if it is another
 * picture and frames are in flight. Settings that contradict each other or the
 * picture are told by the first submit(). */
PACO_API PacoStatus paco_frame_encoder_configure (
    PacoFrameEncoder *encoder, const PacoInfo *info, PacoError *error);

#define PACO_MAX_FRAME_AREAS 16

/* In columns and lines of the picture; what lies outside of it does not matter. */
typedef struct PacoFrameArea
{
  uint32_t x, y, width, height;
} PacoFrameArea;

/* What is to be said of one picture. Later versions may append fields. */
typedef struct PacoExtras
{
  size_t struct_size; /* sizeof (PacoExtras), by the application */
  const PacoFrameChunk *chunks;
  size_t n_chunks;
  /* What counts more than the rest of the picture (setting roi-weight). */
  const PacoFrameArea *areas;
  size_t n_areas;
  /* What is too large for chunks, at most PACO_MAX_ATTACHMENT_BYTES; NULL and 0: none.
   * It is not copied: it stays as it is until the frame is collected. It should not have
   * frames in it that can be read, but compressed ones: readers of damaged files look for
   * frames everywhere. */
  const void *attachment;
  size_t attachment_size;
} PacoExtras;

/* Initializer: nothing. */
/* clang-format off */
#ifdef __cplusplus
#define PACO_EXTRAS_INIT { sizeof (PacoExtras) }
#else
#define PACO_EXTRAS_INIT { .struct_size = sizeof (PacoExtras) }
#endif
/* clang-format on */

/* Encodes a picture, after paco_frame_encoder_configure(). extras may be NULL; they are
 * copied, with chunks and areas. Errors: all of them. With a budget chunks and attachment
 * must leave room for the picture (UNSUPPORTED). */
PACO_API PacoStatus paco_frame_encoder_encode (PacoFrameEncoder *encoder,
    const PacoImage *image, const PacoExtras *extras, PacoFrame *frame,
    PacoError *error);

/* The same in two steps, as those of the decoder. After an error of collect() *frame
 * has user only. */
PACO_API PacoStatus paco_frame_encoder_submit (PacoFrameEncoder *encoder,
    const PacoImage *image, const PacoExtras *extras, void *user,
    PacoError *error);
PACO_API PacoStatus paco_frame_encoder_collect (
    PacoFrameEncoder *encoder, PacoFrame *frame, PacoError *error);

PACO_API const char *paco_frame_encoder_device (
    const PacoFrameEncoder *encoder);

/* --- Files --- */

/* A .paco file is frames one behind the other. Reading goes on behind whatever is
 * damaged or was cut off; frames that carry their places (PacoInfo.has_place) are
 * found by their numbers without reading the file. A reader, and a writer, is used by
 * one thread at a time. */
typedef struct PacoReader PacoReader;

/* *reader is NULL after an error. Errors: INVALID, IO, MEMORY. */
PACO_API PacoStatus paco_reader_open (
    const char *path, PacoReader **reader, PacoError *error);
/* Reads what is open already, and stays open. A file that is at its beginning is read
 * like one of paco_reader_open(); of all else, as a pipe, frames come in order only. */
PACO_API PacoStatus paco_reader_open_fd (
    int fd, PacoReader **reader, PacoError *error);
PACO_API void paco_reader_close (PacoReader *reader); /* or NULL */

/* The next whole frame. EMPTY at the end, where frame->skipped says how many bytes are
 * there that belong to none, and the next call looks whether frames have come behind it.
 * Of a file it looks again at the last bytes, too, if a frame may begin there: so a file
 * can be followed while it is written. Errors: IO, MEMORY, after which the call may be
 * made again. */
PACO_API PacoStatus paco_reader_next (
    PacoReader *reader, PacoFrame *frame, PacoError *error);

/* paco_reader_next() will give the frame of that number, or, where it is damaged or
 * missing, the last good one before (the first one, if there is none). Errors: INVALID
 * if the file ends before, UNSUPPORTED for a pipe, IO, MEMORY. */
PACO_API PacoStatus paco_reader_seek (
    PacoReader *reader, uint64_t number, PacoError *error);

/* The number of the last frame, plus one. A few reads say it where frames carry their
 * places, one for each frame where they do not; of damaged files all is read. A file
 * that has grown since is counted anew. Errors: UNSUPPORTED for a pipe, IO, MEMORY. */
PACO_API PacoStatus paco_reader_count (
    PacoReader *reader, uint64_t *n_frames, PacoError *error);

typedef struct PacoWriter PacoWriter;

/* What paco_writer_open() does with a file that is there. */
enum
{
  PACO_WRITER_NEW = 0,     /* it is an error (IO) */
  PACO_WRITER_REPLACE = 1, /* its bytes are given up */
  /* Frames come behind its last whole one; bytes behind that, of one that was not
   * written to its end, are given up. CORRUPT if a header before is damaged, and
   * NOT_PACO if it begins with something else: then nothing is changed. Headers say
   * how far frames reach, and nothing else is read. What a machine without power may
   * have left of frames since the last paco_writer_sync() paco_frame_check() tells. */
  PACO_WRITER_RESUME = 2
};

/* *writer is NULL after an error. Another program that writes the same file with this
 * library is an error. Errors: INVALID, IO, MEMORY, and those above. */
PACO_API PacoStatus paco_writer_open (
    const char *path, unsigned how, PacoWriter **writer, PacoError *error);
/* Writes to what is open already, as a pipe, from where it is, and leaves it open. */
PACO_API PacoStatus paco_writer_open_fd (
    int fd, PacoWriter **writer, PacoError *error);

/* Writes a frame with its place in what is written here, if it has one: its number, its
 * offset, the number of its stack, the header's check. So frames that were cut out of files, or coded in several
 * runs, are the bytes that one run writes. Where the frame rate changes a new stream
 * begins (FORMAT.md, chunk 4). Errors: those of paco_probe() and CORRUPT for what is no
 * whole frame; IO: the file ends with the frame before then, and the call may be made
 * again (but not for a pipe, of which nobody knows how much it took). */
PACO_API PacoStatus paco_writer_add (
    PacoWriter *writer, const void *data, size_t size, PacoError *error);

/* Frames and bytes of the file so far, with those that were there. Both may be NULL. */
PACO_API void paco_writer_position (
    const PacoWriter *writer, uint64_t *n_frames, uint64_t *n_bytes);

/* Returns when all that was written is on the disk (nothing to do for pipes). */
PACO_API PacoStatus paco_writer_sync (PacoWriter *writer, PacoError *error);

/* Frees the writer, which may be NULL, whatever is returned: IO if the system says only
 * now that something could not be written. */
PACO_API PacoStatus paco_writer_close (PacoWriter *writer, PacoError *error);

#ifdef __cplusplus
}
#endif
#endif
