/* SPDX-License-Identifier: LGPL-2.1-or-later
 * libpaco codes pictures to PaCo frames and decodes them, without GStreamer. This is
 * the one header that applications include. It is C99, C11 and C++11, and includes
 * nothing but the standard library. pkg-config knows it as "paco".
 *
 *   decoder = paco_frame_decoder_new ();
 *   paco_frame_decoder_set (decoder, "reduce", "1", &error);      (if wanted)
 *   paco_frame_decoder_decode (decoder, bytes, size, &image, &result, &error);
 *   paco_frame_decoder_free (decoder);
 *
 * decodes a frame, and paco_frame_encoder_*() code pictures in the same way. To have
 * several frames in work at the same time, submit() and collect() replace decode() and
 * encode().
 *
 * Threads: a coder, a reader and a writer may be used by one thread at a time, and by
 * different threads one after the other. Different ones may be used at the same time.
 * There is no global state.
 *
 * Errors: functions return a PacoStatus. If it is not PACO_STATUS_OK, the function has
 * done nothing, unless it says otherwise here, but fill in the caller's PacoError,
 * whose message is a sentence for the user. The caller may hand in NULL instead.
 *
 * ABI: functions are versioned symbols. Structs will never change their size, except
 * for PacoInfo and PacoExtras, which begin with the size that the application was
 * compiled with and may get more fields at their ends. Coders are opaque, and their
 * settings have names. */
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

#define PACO_COMPONENTS 4 /* how many components a picture has at most */

/* Returns the version of the library that runs, as in "1.0.0". It is not to be freed. */
PACO_API const char *paco_version (void);

/* --- Errors --- */

/* What a function returns. Later versions may have more values. */
typedef enum PacoStatus
{
  PACO_STATUS_OK = 0,
  PACO_STATUS_INVALID = 1,     /* an argument is out of its range */
  PACO_STATUS_UNSUPPORTED = 2, /* the picture cannot be coded like this */
  PACO_STATUS_NOT_PACO = 3,    /* the bytes do not begin with a frame */
  PACO_STATUS_VERSION = 4, /* the frame is of another version of the format */
  PACO_STATUS_CORRUPT = 5, /* the frame contradicts itself, or is cut */
  PACO_STATUS_MORE = 6,    /* paco_probe() needs more bytes */
  PACO_STATUS_MEMORY = 7,  /* memory could not be had */
  /* The GPU is lost, or failed. The memory of pictures and frames in flight must not
   * be freed before the process ends, because the GPU may still use it. */
  PACO_STATUS_DEVICE = 8,
  PACO_STATUS_NO_DEVICE = 9, /* this machine has no such GPU */
  PACO_STATUS_BUSY = 10,     /* frames in flight must be collected before */
  PACO_STATUS_EMPTY = 11,    /* no frame is left, or none is in flight */
  /* A file cannot be read or written. The message has the system's reason. */
  PACO_STATUS_IO = 12
} PacoStatus;

typedef struct PacoError
{
  PacoStatus status;
  char message[508]; /* UTF-8, zero-terminated; "" with PACO_STATUS_OK */
} PacoError;

/* --- What a frame is --- */

/* The display on which the picture was graded (SMPTE ST 2086). The x and y of red,
 * green, blue and the white point are in 1/50000, luminances in 1/10000 cd/m2. */
typedef struct PacoMastering
{
  uint32_t primaries[3][2], white_point[2];
  uint32_t max_luminance, min_luminance;
} PacoMastering;

/* What a frame's header says of the picture, or what an encoder is told of the pictures
 * to come. The values of interlace_mode and of all fields from there to primaries are
 * those of FORMAT.md section 2; 0 is "progressive" or "unknown". Later versions may
 * append fields. */
typedef struct PacoInfo
{
  size_t struct_size; /* sizeof (PacoInfo), which the application sets */

  /* The picture. */
  uint32_t width, height; /* in samples of component 0, 1..16384 each */
  /* 1..4. Components are gray; Y, Cb, Cr; or R, G, B. Alpha is the last of two or
   * four. */
  uint32_t n_components;
  uint32_t depth[PACO_COMPONENTS]; /* bits of a sample, 1..16 */
  /* The log2 of how many columns, and lines, of the picture a sample of the component
   * stands for: 0..2, and always 0 for component 0. */
  uint32_t subsampling_x[PACO_COMPONENTS], subsampling_y[PACO_COMPONENTS];
  uint32_t fields; /* 1: even and odd lines are coded separately, 0: together */

  /* What the codec carries with the picture and does not use. */
  char format[16]; /* GStreamer's name of the format, like "I422_10LE", or "" */
  uint32_t par_n, par_d; /* pixel aspect ratio; 0/0 stands for 1/1 */
  uint32_t fps_n, fps_d; /* frames per second; 0/0 and 0/1 stand for unknown */
  /* 0 progressive, 1 interleaved, 2 mixed, 3 alternate. */
  uint32_t interlace_mode;
  /* Flags: with 2 the top field is first, with 4 the first field is repeated, with 8
   * only one field is valid. */
  uint32_t picture_flags;
  uint32_t field_order, chroma_site;
  uint32_t range;  /* 0 unknown, 1 full, 2 limited */
  uint32_t matrix; /* 0 unknown, 1 RGB, 3 BT.709, 4 BT.601, 6 BT.2020, ... */
  uint32_t transfer, primaries;
  uint32_t has_mastering, has_content_light, has_views, has_place; /* 0 or 1 */
  PacoMastering mastering;
  uint32_t max_content_light, max_frame_average_light; /* cd/m2 */
  uint32_t multiview_mode, multiview_flags;            /* FORMAT.md, chunk 5 */
  /* The frame's place in the stream for which it was made: its number, from 0 on, and
   * how many bytes all frames before it have. */
  uint32_t place_number;
  uint64_t place_offset;

  /* paco_probe() sets these, and encoders do not read them. The values are those of
   * FORMAT.md section 2. */
  uint32_t version;
  uint32_t wavelet[PACO_COMPONENTS];
  uint32_t color_transform, coding_passes;
  uint32_t block_checks, cut_points; /* 1 if the frame has them, else 0 */
  uint32_t n_chunks; /* how many chunks paco_frame_chunks() gives */
  uint32_t header_size, index_size; /* bytes */
  uint32_t frame_size;              /* bytes, with header and index */
  uint32_t levels; /* how often the picture can be halved (setting "reduce") */
  /* 0: coding has lost something. 1: nothing in the frame says so; what was lost, if
   * anything, made whole blocks zero, as those of a flat picture are. 2: it cannot be
   * known before header_size + index_size bytes are there. */
  uint32_t lossless;
  uint32_t attachment_size; /* how many bytes paco_frame_attachment() gives */
  /* For a slice of a stack (FORMAT.md section 12), which is no picture by itself: the
   * number of the stack, how many slices it has, which one this is, and how many bits
   * the pictures' samples have. For other frames stack_length is 0. */
  uint32_t stack_number, stack_length, stack_position, stack_depth;

  /* The picture again. What samples of a component are: PACO_SAMPLES_*. */
  uint32_t sample_kind[PACO_COMPONENTS];
  /* 1: the picture is a mosaic, the picture of a sensor with color filters. Each of its
   * four components is one sample of every cell of 2x2, at column place_x and line
   * place_y of the cell, 0 or 1: in the order red, green of red's lines, green of blue's
   * lines, blue. Width and height count samples of the sensor, and are even; subsampling
   * is 1 in both directions. 0: it is none. */
  uint32_t mosaic;
  uint32_t place_x[PACO_COMPONENTS], place_y[PACO_COMPONENTS];

  /* Of these, too, encoders read nothing. How many different codes the samples of a
   * component have, if the frame says which (FORMAT.md, chunk 258), else 0. */
  uint32_t n_codes[PACO_COMPONENTS];
  uint32_t
      has_step_map; /* 1 if quantiser steps vary over the picture, else 0 */
} PacoInfo;

/* What a sample's `depth` bits are. */
enum
{
  PACO_SAMPLES_UNSIGNED = 0,
  /* Two's complement. Bits of a word beyond depth are 0, as with unsigned samples. */
  PACO_SAMPLES_SIGNED = 1,
  PACO_SAMPLES_FLOAT = 2 /* IEEE 754 binary16; depth is 16 */
};

/* Initialises a PacoInfo in which everything is unknown. */
/* clang-format off */
#ifdef __cplusplus
static inline PacoInfo paco_info_init (void)
{
  PacoInfo info = PacoInfo ();
  info.struct_size = sizeof info;
  return info;
}
#define PACO_INFO_INIT paco_info_init ()
#else
#define PACO_INFO_INIT { .struct_size = sizeof (PacoInfo) }
#endif
/* clang-format on */

/* With this many bytes paco_probe() can say how many it needs. */
#define PACO_PROBE_SIZE 20

/* Reads the header of the frame that begins at data, of which size bytes are there, and
 * sets *info. If these are too few, returns MORE and sets *needed to how many it needs;
 * otherwise *needed is how many bytes the header has. needed may be NULL. Other errors:
 * INVALID, NOT_PACO, VERSION, CORRUPT. */
PACO_API PacoStatus paco_probe (const void *data, size_t size, PacoInfo *info,
    size_t *needed, PacoError *error);

/* --- Frames in memory --- */

/* An encoded frame that an encoder or a reader of files has given. Its bytes are in
 * memory of the library until it is released. */
typedef struct PacoFrame
{
  void *data;
  size_t size;
  void *user;  /* what was handed to submit() */
  void *owner; /* for the library alone */
  /* A reader of files sets these. Numbers begin with 0, and frames that are missing
   * have one, too, if the others have places (PacoInfo.has_place). */
  uint64_t number;
  uint64_t offset;      /* the byte of the file where the frame begins */
  uint64_t skipped;     /* how many bytes before it belong to no whole frame */
  uint64_t missing;     /* how many frames are missing before it */
  uint64_t reserved[4]; /* 0 */
} PacoFrame;

/* Frees the frame's memory; *frame, which may be NULL or empty, is empty then. Any number
 * of frames may be kept, for any time. Any thread may release them, also after the
 * coder or reader that gave them was freed. */
PACO_API void paco_frame_release (PacoFrame *frame);

/* The types of ancillary chunks. */
#define PACO_FIRST_CHUNK 7
#define PACO_LAST_CHUNK 255
/* How many bytes all chunks of a frame together take at most. Each takes 4 bytes more
 * than its size. */
#define PACO_MAX_CHUNK_BYTES 32768

/* An ancillary chunk. FORMAT.md section 3.1 says what chunks of captions, timecodes and
 * the like have in them. Types that have no meaning there are for applications, and
 * the codec carries their bytes as they are. */
typedef struct PacoFrameChunk
{
  uint32_t type;     /* PACO_FIRST_CHUNK..PACO_LAST_CHUNK */
  uint32_t reserved; /* 0 */
  const void *data;  /* may be NULL if size is 0 */
  size_t size;
} PacoFrameChunk;

/* Finds the ancillary chunks of the frame that begins at data, of which at least the
 * header is there. Puts the first *n of them into chunks, which may be NULL if *n is 0,
 * in the order in which they were written, and sets *n to how many there are. They
 * point into data. Errors: those of paco_probe(). */
PACO_API PacoStatus paco_frame_chunks (const void *data, size_t size,
    PacoFrameChunk *chunks, size_t *n, PacoError *error);

/* How many bytes the attachment of a frame has at most. */
#define PACO_MAX_ATTACHMENT_BYTES (1 << 28)

/* Finds the attachment of the frame that begins at data and is all there: bytes that the
 * codec carries behind the picture and does not use (FORMAT.md section 3.2).
 * *attachment points into data. It is NULL, and *attachment_size 0, if there is none.
 * Errors: those of paco_probe(); CORRUPT also if the frame is cut, or if the attachment
 * is not what was written. */
PACO_API PacoStatus paco_frame_attachment (const void *data, size_t size,
    const void **attachment, size_t *attachment_size, PacoError *error);

/* Changes the place of a frame that has one (PacoInfo.has_place): if an application puts
 * frames one behind the other, a frame's offset is known only when those before it are
 * coded. Errors: those of paco_probe(); UNSUPPORTED if the frame has no place. */
PACO_API PacoStatus paco_frame_set_place (void *data, size_t size,
    uint32_t number, uint64_t offset, PacoError *error);

/* Compares the bytes of a whole frame with the checks in it, which is many times faster
 * than decoding. Sets *blocks to how many codeblocks it has, and *broken to how many of
 * them are not what was written; both may be NULL. Errors: those of paco_probe();
 * CORRUPT also if the frame is cut, or if its header, index or attachment is not what
 * was written; UNSUPPORTED if it was coded without block-checks. */
PACO_API PacoStatus paco_frame_check (const void *data, size_t size,
    uint32_t *broken, uint32_t *blocks, PacoError *error);

/* --- Pictures in memory --- */

#define PACO_GROUP_SAMPLES 8 /* how many samples a group has at most */

/* How the samples of a component lie in a line. A line is groups of group_bytes bytes,
 * each of which holds group_samples samples of the component. Sample i of a group is
 * bits [shift, shift + depth) of the word of word_bytes bytes that begins at byte
 * places[i].byte of the group; words need no alignment. With swap_words the bytes of
 * each 32-bit word of a line are reversed: what is called byte b of the line here is at
 * b ^ 3, and strides are multiples of 4. With PACO_LAYOUT_CSI2 in its place a group of 5
 * bytes has 4 samples of 10 bits, or one of 3 bytes 2 samples of 12, as MIPI CSI-2 has
 * them: a byte for the high bits of each, then one with the other bits. Places are those
 * of a group that is a little-endian string of these samples: bits 0, 10, 20 and 30 of
 * it. Components whose data are equal share their groups. v210, RGBA and all packings of
 * DPX are such layouts. */
#define PACO_LAYOUT_CSI2 2
typedef struct PacoLayout
{
  uint8_t group_bytes;   /* 1..48 */
  uint8_t group_samples; /* 1..PACO_GROUP_SAMPLES */
  uint8_t word_bytes;    /* 1, 2 or 4 */
  uint8_t fill;          /* 0 or 0xff: what bits become that no sample covers */
  uint8_t big_endian;    /* 1: the first byte of a word is its highest one */
  /* 1: the bytes of each 32-bit word are reversed. PACO_LAYOUT_CSI2: see above. */
  uint8_t swap_words;
  struct
  {
    uint8_t byte, shift;
  } places[PACO_GROUP_SAMPLES];
} PacoLayout;

/* A picture in memory of the application. stride is how many bytes lie from a line of
 * the picture to the next one; it may be negative, and data points to the last line in
 * memory then. size says how many bytes belong to the component, counted from the line
 * that is first in memory: at least |stride| for each line but one, and the groups of
 * that one. Bytes outside are neither read nor written. */
typedef struct PacoImage
{
  void *data[PACO_COMPONENTS]; /* the first line of each component */
  ptrdiff_t stride[PACO_COMPONENTS];
  size_t size[PACO_COMPONENTS];
  PacoLayout layout[PACO_COMPONENTS];
  uint32_t where;    /* PACO_IN_HOST_MEMORY or PACO_IN_CUDA_MEMORY */
  uint32_t reserved; /* 0 */
  /* For CUDA memory: the stream (CUstream, cudaStream_t) whose work has to be done
   * before the memory is read or written, or NULL if it is ready now. */
  void *stream;
  uint64_t more[4]; /* 0 */
} PacoImage;

/* Where a picture lies. */
enum
{
  /* In memory that the CPU reads and writes, page-locked or not. */
  PACO_IN_HOST_MEMORY = 0,
  /* At addresses of the GPU, in the context of paco_frame_decoder_use_context() or
   * paco_frame_encoder_use_context(), where it is read or written without a copy.
   * submit() does not wait for the stream. The GPU is done with a picture when
   * collect() has returned it. A region is copied to there within the GPU. */
  PACO_IN_CUDA_MEMORY = 1
};

/* How paco_image_init() lays samples out. */
enum
{
  PACO_IMAGE_PLANES = 0, /* one component behind the other */
  /* As in RGBRGB, if no component is subsampled; a mosaic as the samples lie on the
   * sensor. */
  PACO_IMAGE_INTERLEAVED = 1,
  PACO_IMAGE_BIG_ENDIAN = 1 << 1, /* words of two bytes are big-endian */
  PACO_IMAGE_TWO_BYTES = 1 << 2   /* words have two bytes where one would do */
};

/* Computes how many columns and lines a component has when a decoder leaves out `reduce`
 * levels. Errors: INVALID, UNSUPPORTED. */
PACO_API PacoStatus paco_component_size (const PacoInfo *info,
    unsigned component, unsigned reduce, uint32_t *width, uint32_t *height,
    PacoError *error);

/* Lays out *image for a picture of that size: samples are the low bits of words of one
 * byte, or of two if any component has more than 8 bits, without gaps. `how` is
 * PACO_IMAGE_* flags. Sets *bytes to how many bytes that takes. If memory is not NULL,
 * *image lies there, and *bytes must have said how many bytes the memory has; so it is
 * called twice. Big-endian words of two bytes are what PNM and PNG have. Errors:
 * INVALID, UNSUPPORTED. */
PACO_API PacoStatus paco_image_init (PacoImage *image, const PacoInfo *info,
    unsigned reduce, unsigned how, void *memory, size_t *bytes,
    PacoError *error);

/* Memory for pictures or frames, which paco_frame_decoder_allocate() and
 * paco_frame_encoder_allocate() give. The GPU of a coder reads and writes it by itself
 * (it is page-locked), which spares copies on the CPU; where the CPU codes it is
 * ordinary memory. Allocating it takes long, so it should be used again. */
typedef struct PacoBuffer
{
  void *data; /* aligned to 64 bytes at least, and cleared */
  size_t size;
  void *owner; /* for the library alone */
} PacoBuffer;

/* Frees the memory; *buffer, which may be NULL or empty, is empty then. Any thread may
 * call it, also after the coder was freed, but not while a coder may use the memory. */
PACO_API void paco_buffer_release (PacoBuffer *buffer);

/* --- Decoding --- */

typedef struct PacoFrameDecoder PacoFrameDecoder;

/* Makes a decoder, without opening a device yet. Returns NULL if there is no memory. */
PACO_API PacoFrameDecoder *paco_frame_decoder_new (void);
/* Waits for frames in flight, drops them, and frees the decoder, which may be NULL. */
PACO_API void paco_frame_decoder_free (PacoFrameDecoder *decoder);

/* Sets one of the following; value is text. Names and values are mostly those of the
 * element pacodec:
 *
 *   backend          cpu; cuda; or auto, a GPU if one works, else the CPU
 *   cuda-device-id   the number of the GPU, or -1 for the least loaded one
 *   cuda-devices     several GPUs, to which frames go in turn: "0,1" or "all"
 *   threads          how many threads the CPU uses, or 0 for as many as can run
 *   pipeline-depth   how many frames may be in flight on a device, 1..8; default 2
 *   max-pixels       how many pixels a picture may have; larger ones are refused
 *   max-memory       how many bytes of memory frames in flight may take in a decoder of
 *                    the CPU; fewer are in flight when they are large, but always one.
 *                    A frame takes 5.5 bytes for each sample
 *   conceal          true, false: whether broken blocks of the lowest subbands are
 *                    replaced by something better than zeros
 *   slices           true, false: whether slices of stacks, which are no pictures by
 *                    themselves, are decoded or refused. They have 16 bits, and
 *                    paco_stack_pictures() makes the pictures of the stack of them
 *   reduce           how many levels are left out, 0..8: width and height are divided
 *                    by 2^reduce
 *   region           "x,y,width,height" of the (reduced) picture, which alone is
 *                    decoded; "" is all of the picture
 *
 * The last three may change between frames, the others only before the first frame.
 *
 * The x and y of a region are multiples of what a group of samples and a subsampled
 * sample cover; y is a multiple of twice that if fields are coded separately. With
 * swap_words, the groups before x must fill whole 32-bit words. Blocks that have no
 * influence on the region are not decoded, but the transform runs over the whole
 * picture, in memory of the decoder's; of a GPU's the region alone comes back. The last
 * group of a line may get samples beyond the region, which need not be the picture's.
 * Errors: INVALID, BUSY. */
PACO_API PacoStatus paco_frame_decoder_set (PacoFrameDecoder *decoder,
    const char *name, const char *value, PacoError *error);

/* Has the decoder work in a CUDA context (CUcontext) of the application, so that it can
 * decode to CUDA memory of that context as well as to host memory. cuda-device-id and
 * cuda-devices are ignored then. The context must exist until the decoder is freed, or,
 * if the GPU was lost, until the process ends. An application that uses the CUDA runtime
 * hands in what cuDevicePrimaryCtxRetain() gives. With NULL the decoder makes a context
 * of its own. Errors: INVALID; BUSY after the first frame. */
PACO_API PacoStatus paco_frame_decoder_use_context (
    PacoFrameDecoder *decoder, void *context, PacoError *error);

/* Allocates memory that suits the decoder. This opens the device, so settings that must
 * be made before the first frame must be made before this. When the device is open, any
 * thread may call it while another one uses the coder. Errors: INVALID, MEMORY, DEVICE,
 * NO_DEVICE, UNSUPPORTED. */
PACO_API PacoStatus paco_frame_decoder_allocate (PacoFrameDecoder *decoder,
    size_t size, PacoBuffer *buffer, PacoError *error);

/* What has become of a frame that was decoded. */
typedef struct PacoResult
{
  void *user;                /* what was handed to submit() */
  uint32_t corrupted_blocks; /* how many codeblocks are broken */
  /* How many of these are concealed. The others count as zero. */
  uint32_t concealed_blocks;
  /* How many bytes of the image the frame would change, if it was compared. */
  uint64_t different_bytes;
  uint64_t reserved[5]; /* 0 */
} PacoResult;

/* Decodes the frame at data, of which size bytes are there (bytes behind the frame are
 * ignored), into the memory of *image, which has the size of the picture, reduced and
 * cut to the region. result may be NULL. Broken blocks are no error; PacoResult counts
 * them. After an error the picture's samples are undefined. Any error may be returned;
 * BUSY if a frame is in flight. */
PACO_API PacoStatus paco_frame_decoder_decode (PacoFrameDecoder *decoder,
    const void *data, size_t size, const PacoImage *image, PacoResult *result,
    PacoError *error);

/* These decode in two steps. submit() returns at once. The bytes at data and the memory
 * of the image, but not *image, must stay as they are until collect() has returned the
 * frame. submit() returns BUSY if as many frames are in flight as may be, or if this
 * frame is of another size or kind than those; collect() has to be called then.
 * collect() waits for the oldest frame in flight and returns its status; it fills
 * *result in any case. It returns EMPTY if no frame is in flight. */
PACO_API PacoStatus paco_frame_decoder_submit (PacoFrameDecoder *decoder,
    const void *data, size_t size, const PacoImage *image, void *user,
    PacoError *error);
PACO_API PacoStatus paco_frame_decoder_collect (
    PacoFrameDecoder *decoder, PacoResult *result, PacoError *error);

/* Does what submit() does, but compares the picture with what is in the memory of the
 * image, which is only read; PacoResult.different_bytes is what collect() finds. So one
 * who has coded a picture learns whether the frame gives it back. The bytes that are
 * compared are those that submit() would write: samples, and with them bits of padding
 * (0, or PacoLayout.fill) and, in the last group of a line, zeros behind the last
 * column. Where the decoder works on a GPU, they are compared there, and no picture
 * comes back from it. Error UNSUPPORTED also if a region is set. */
PACO_API PacoStatus paco_frame_decoder_submit_comparison (
    PacoFrameDecoder *decoder, const void *data, size_t size,
    const PacoImage *image, void *user, PacoError *error);

/* Returns what decodes, like "cpu: 2 threads, avx512", or "" before the first frame. The
 * string belongs to the decoder. */
PACO_API const char *paco_frame_decoder_device (
    const PacoFrameDecoder *decoder);

/* What a frame is to stacks (FORMAT.md section 12). */
enum
{
  PACO_STACK_NONE = 0,  /* a picture by itself */
  PACO_STACK_FIRST = 1, /* the slice of position 0 of a stack */
  PACO_STACK_NEXT = 2,  /* another slice of the stack of the frame before */
  PACO_STACK_STRAY = 3  /* a slice of a stack whose first slice is missing */
};

/* The state of paco_stack_next(): all zeros before the first frame and after a seek. */
typedef struct PacoStackState
{
  uint64_t state[16];
} PacoStackState;

/* Sets *what to PACO_STACK_* for the next frame of a file. A stack ends before a frame
 * that is not PACO_STACK_NEXT, and after its slice of position PacoInfo.stack_length - 1;
 * slices that did not come are missing. Slices of two recordings are told apart by
 * their size and place (PacoInfo.has_place), and by frame->skipped and
 * frame->missing. Of frame->data only the header is read. Errors: INVALID; those of
 * paco_probe(). */
PACO_API PacoStatus paco_stack_next (PacoStackState *state,
    const PacoFrame *frame, uint32_t *what, PacoError *error);

/* Each sample of a slice that is missing. */
#define PACO_NO_SLICE 0x8000

/* Makes the pictures of a stack (FORMAT.md section 12) of its slices. The header of any
 * frame of the stack is at data. slices[p], for p below PacoInfo.stack_length, points to
 * the width * height samples of slice p, without gaps, as a decoder with slices=true has
 * decoded it (whole, reduced or a region) to words of two bytes in the byte order of this
 * machine; what becomes of them is undefined. Of a slice that is missing slices[p] is
 * NULL, or all samples are PACO_NO_SLICE: then pictures of the stack are damaged, and
 * without that of position 0 they show nothing. Picture p, of PacoInfo.stack_depth bits,
 * is written to *images[p], which is in the host's memory; it is not if images[p] is NULL.
 * Errors: those of paco_probe(); INVALID; MEMORY; UNSUPPORTED if the frame is no slice. */
PACO_API PacoStatus paco_stack_pictures (const void *data, size_t size,
    uint16_t *const *slices, uint32_t width, uint32_t height,
    const PacoImage *const *images, PacoError *error);

/* --- Encoding --- */

typedef struct PacoFrameEncoder PacoFrameEncoder;

/* These are like paco_frame_decoder_new() and paco_frame_decoder_free(). */
PACO_API PacoFrameEncoder *paco_frame_encoder_new (void);
PACO_API void paco_frame_encoder_free (PacoFrameEncoder *encoder);

/* Sets one of the following, like paco_frame_decoder_set(). Names and values are those of
 * the element pacoenc: backend, cuda-device-id, cuda-devices, threads and pipeline-depth
 * are as above, and there are
 *
 *   rate-control     quality, lossless, bitrate
 *   quality          0..100; 90, the default, is visually lossless
 *   bitrate          kbit/s, for rate-control=bitrate
 *   frame-size       bytes of a frame, for rate-control=bitrate instead of bitrate
 *   tune             visual, psnr
 *   wavelet          auto, cdf53, cdf97, dd137
 *   code-tables      auto, never, always
 *   color-transform  auto, none, rct, ict, rct2, matrix
 *   levels           0..8; default 5
 *   codeblock-height 0 (auto), 32, 64, 128, 256
 *   coding-passes    1..3
 *   complexity       0..3
 *   roi-weight       1..1024: how many times finer steps are in areas (PacoExtras)
 *   block-checks     true, false: whether each block has a check, by which damage is
 *                    found
 *   cut-points       true, false: whether frames can be made smaller later
 *
 * quality, bitrate and frame-size may change while frames are in flight, the others of
 * this list only while none is. Errors: INVALID, BUSY. */
PACO_API PacoStatus paco_frame_encoder_set (PacoFrameEncoder *encoder,
    const char *name, const char *value, PacoError *error);

/* Has the decoder use the encoder's threads, so that both together use as many as the
 * encoder's setting `threads` says. On GPUs it changes nothing. Both coders open their
 * devices. Either may be freed first. Errors: INVALID; BUSY if the decoder's device is
 * open already; MEMORY, DEVICE, NO_DEVICE, UNSUPPORTED. */
PACO_API PacoStatus paco_frame_decoder_share_threads (
    PacoFrameDecoder *decoder, PacoFrameEncoder *encoder, PacoError *error);

/* Does for an encoder what paco_frame_decoder_use_context() does for a decoder. */
PACO_API PacoStatus paco_frame_encoder_use_context (
    PacoFrameEncoder *encoder, void *context, PacoError *error);

/* Does for an encoder what paco_frame_decoder_allocate() does for a decoder. */
PACO_API PacoStatus paco_frame_encoder_allocate (PacoFrameEncoder *encoder,
    size_t size, PacoBuffer *buffer, PacoError *error);

/* Says what pictures will come. Errors: INVALID, UNSUPPORTED; BUSY if they are other
 * pictures than before and frames are in flight. If settings contradict each other or
 * the pictures, the first submit() returns the error. */
PACO_API PacoStatus paco_frame_encoder_configure (
    PacoFrameEncoder *encoder, const PacoInfo *info, PacoError *error);

#define PACO_MAX_FRAME_AREAS 16

/* A rectangle in columns and lines of the picture. The part of it that lies outside of
 * the picture does not matter. */
typedef struct PacoFrameArea
{
  uint32_t x, y, width, height;
} PacoFrameArea;

/* What an encoder is told of one picture. Later versions may append fields. */
typedef struct PacoExtras
{
  size_t struct_size; /* sizeof (PacoExtras), which the application sets */
  const PacoFrameChunk *chunks;
  size_t n_chunks;
  /* The areas that count more than the rest of the picture (setting roi-weight), at
   * most PACO_MAX_FRAME_AREAS. */
  const PacoFrameArea *areas;
  size_t n_areas;
  /* What is too large for chunks, at most PACO_MAX_ATTACHMENT_BYTES, or NULL and 0. It
   * is not copied, and must stay as it is until the frame is collected. Frames in it
   * should be compressed: readers of damaged files look for frames everywhere, and
   * would find them. */
  const void *attachment;
  size_t attachment_size;
} PacoExtras;

/* Initialises PacoExtras that say nothing. */
/* clang-format off */
#ifdef __cplusplus
static inline PacoExtras paco_extras_init (void)
{
  PacoExtras extras = PacoExtras ();
  extras.struct_size = sizeof extras;
  return extras;
}
#define PACO_EXTRAS_INIT paco_extras_init ()
#else
#define PACO_EXTRAS_INIT { .struct_size = sizeof (PacoExtras) }
#endif
/* clang-format on */

/* Encodes a picture, after paco_frame_encoder_configure(). extras may be NULL; they are
 * copied, with chunks and areas but without the attachment. With a budget, chunks and
 * attachment must leave room for the picture, else the error is UNSUPPORTED. Any error
 * may be returned. */
PACO_API PacoStatus paco_frame_encoder_encode (PacoFrameEncoder *encoder,
    const PacoImage *image, const PacoExtras *extras, PacoFrame *frame,
    PacoError *error);

/* These encode in two steps, as those of the decoder decode. After an error of collect()
 * only `user` is set in *frame. */
PACO_API PacoStatus paco_frame_encoder_submit (PacoFrameEncoder *encoder,
    const PacoImage *image, const PacoExtras *extras, void *user,
    PacoError *error);
PACO_API PacoStatus paco_frame_encoder_collect (
    PacoFrameEncoder *encoder, PacoFrame *frame, PacoError *error);

/* Returns what encodes, like paco_frame_decoder_device(). */
PACO_API const char *paco_frame_encoder_device (
    const PacoFrameEncoder *encoder);

/* --- Files --- */

/* Reads a .paco file, which is frames one behind the other. Behind damage, and where
 * something was cut off, it goes on with the next whole frame. Frames that have places
 * (PacoInfo.has_place) are found by their numbers without reading the file. */
typedef struct PacoReader PacoReader;

/* Opens a file. *reader is NULL after an error. Errors: INVALID, IO, MEMORY. A path of a
 * folder, a pipe, a device or a socket is an IO error, but /dev/stdin and /dev/fd/N may
 * be pipes and devices. */
PACO_API PacoStatus paco_reader_open (
    const char *path, PacoReader **reader, PacoError *error);
/* Reads a descriptor that is open, and leaves it open. If it is a file at its beginning,
 * it is read like one of paco_reader_open(). Of anything else, like a pipe, frames come
 * in order only. Errors are those of paco_reader_open(). */
PACO_API PacoStatus paco_reader_open_fd (
    int fd, PacoReader **reader, PacoError *error);
/* Frees the reader, which may be NULL. */
PACO_API void paco_reader_close (PacoReader *reader);

/* Gives the next whole frame. At the end it returns EMPTY, and frame->skipped says how
 * many bytes there belong to no frame. Then the next call looks whether more bytes have
 * come, and looks again at the last bytes of a file if a frame may begin there: so a
 * file can be read while it is written. Errors: IO, also, once, if the file has become
 * shorter; MEMORY; after these the call may be made again. */
PACO_API PacoStatus paco_reader_next (
    PacoReader *reader, PacoFrame *frame, PacoError *error);

/* Says why the bytes that frame->skipped counts are no frame, or "" if it is 0: "the frame
 * is of version 1 of the format, this decoder knows 2". Of several reasons it is the first
 * one. It is valid until the next call with this reader. */
PACO_API const char *paco_reader_reason (const PacoReader *reader);

/* Gives the next whole frame like paco_reader_next(), but without its bytes, if the file
 * can be read anywhere and another frame follows: frame->data is NULL then, and only the
 * header was read. Otherwise the frame has its bytes. It is released in any case. */
PACO_API PacoStatus paco_reader_find (
    PacoReader *reader, PacoFrame *frame, PacoError *error);
/* Reads the bytes of a frame that paco_reader_find() has given to data, which has room for
 * frame->size bytes. Several threads may do so at the same time, while another one finds
 * the next frames. Whether they are still those of a frame nobody has looked. Error: IO,
 * also if the file has become shorter. */
PACO_API PacoStatus paco_reader_read (const PacoReader *reader,
    const PacoFrame *frame, void *data, PacoError *error);

/* Has paco_reader_next() go on with the frame of that number. If that is damaged or
 * missing, it goes on with the last good frame before it, or with the first frame if
 * there is none. Errors: INVALID if the file ends before, UNSUPPORTED for a pipe, IO,
 * MEMORY. */
PACO_API PacoStatus paco_reader_seek (
    PacoReader *reader, uint64_t number, PacoError *error);

/* Sets *n_frames to the number of the last frame, plus one. It takes a few reads if
 * frames have places, and a read for each frame if they have not; a damaged file is read
 * as a whole. A file that has grown is counted again. Errors: UNSUPPORTED for a pipe,
 * IO, MEMORY. */
PACO_API PacoStatus paco_reader_count (
    PacoReader *reader, uint64_t *n_frames, PacoError *error);

/* Writes a .paco file. */
typedef struct PacoWriter PacoWriter;

/* What paco_writer_open() does if the file exists. */
enum
{
  PACO_WRITER_NEW = 0,     /* It returns the error IO. */
  PACO_WRITER_REPLACE = 1, /* It removes the bytes of the file. */
  /* It goes on behind the last whole frame, and removes the bytes behind that, which
   * are of a frame that was not written to its end. If a header is damaged, it returns
   * CORRUPT, and NOT_PACO if the file begins with something else; the file stays as it
   * is then. Only headers are read, which say where frames end. After a loss of power,
   * paco_frame_check() says which frames since the last paco_writer_sync() are whole. */
  PACO_WRITER_RESUME = 2
};

/* Opens a file to write frames to. *writer is NULL after an error. Errors: INVALID; IO,
 * also if another program writes the same file with this library; MEMORY; and those
 * above. */
PACO_API PacoStatus paco_writer_open (
    const char *path, unsigned how, PacoWriter **writer, PacoError *error);
/* Writes to a descriptor that is open, like a pipe, from its position on, and leaves it
 * open. */
PACO_API PacoStatus paco_writer_open_fd (
    int fd, PacoWriter **writer, PacoError *error);

/* Writes a frame. If the frame has a place, it is written with the one that it has in
 * this file, and a slice with the number that its stack has here: number, offset, number
 * of the stack and the header's CRC change. So frames that were cut out of files, or
 * coded in several runs, become the bytes that one run writes. Where the frame rate
 * changes, a new stream begins (FORMAT.md, chunk 4). Errors: those of paco_probe();
 * CORRUPT also if it is no whole frame; IO. After IO a file ends with the frame before,
 * and the call may be made again; how much of the frame a pipe has taken is not known. */
PACO_API PacoStatus paco_writer_add (
    PacoWriter *writer, const void *data, size_t size, PacoError *error);

/* Says how many files the archive has that is written, as frames and as members: frames
 * that have these numbers (FORMAT.md, chunks 16 and 17) are written with these; 0: unknown.
 * Without this call, they keep theirs. It is for programs that cut and join archives. */
PACO_API void paco_writer_set_files (
    PacoWriter *writer, uint32_t n_files, uint32_t n_members);

/* Says how many frames and bytes the file has so far, including those that it had
 * before. Both may be NULL. */
PACO_API void paco_writer_position (
    const PacoWriter *writer, uint64_t *n_frames, uint64_t *n_bytes);

/* Returns when all that was written is on the disk. For pipes it does nothing. Error:
 * IO. */
PACO_API PacoStatus paco_writer_sync (PacoWriter *writer, PacoError *error);

/* Frees the writer, which may be NULL. It does so also if it returns IO, because the
 * system says only now that something could not be written. */
PACO_API PacoStatus paco_writer_close (PacoWriter *writer, PacoError *error);

#ifdef __cplusplus
}
#endif
#endif
