/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes frames with the reference decoder into pictures as the tests have them;
 * reference.h says for whom. */
#include "codec/reference/reference.h"

static const PacoErrorCode codes[] = {
  [PACO_REFERENCE_NO_FRAME] = PACO_ERROR_NOT_PACO,
  [PACO_REFERENCE_LATER] = PACO_ERROR_VERSION,
  [PACO_REFERENCE_INVALID] = PACO_ERROR_CORRUPT,
  [PACO_REFERENCE_LARGE] = PACO_ERROR_UNSUPPORTED,
  [PACO_REFERENCE_MEMORY] = PACO_ERROR_MEMORY,
  [PACO_REFERENCE_ASKED] = PACO_ERROR_UNSUPPORTED,
};

/* Takes every line of a field of a component. */
static void
take_field (const PacoReferenceImage *image, unsigned depth, unsigned n_fields,
    unsigned field, PacoReferencePlane *plane)
{
  plane->width = image->width;
  plane->height = (image->height + n_fields - 1 - field) / n_fields;
  for (uint32_t y = 0; y < plane->height; y++)
    for (uint32_t x = 0; x < plane->width; x++)
      plane->samples[(size_t) y * plane->width + x].i =
          (int32_t)
              image->samples[(size_t) (n_fields * y + field) * image->width + x]
          - (1 << (depth - 1));
}

/* Puts the samples into the destination's layout. */
static gboolean
store (const uint8_t *data, size_t size, const PacoReferencePicture *decoded,
    const PacoPicture *destination, GError **error)
{
  PacoReferencePlane planes[PACO_MAX_COMPONENTS];
  PacoHeader header;
  bool memory = true;

  if (!paco_header_parse (data, size, &header, NULL, error))
    return FALSE;
  for (unsigned c = 0; c < header.picture.n_components; c++)
    memory &= paco_reference_plane_init (&planes[c],
        decoded->components[c].width, decoded->components[c].height);
  for (unsigned f = 0; memory && f < paco_n_fields (&header.picture); f++) {
    for (unsigned c = 0; c < header.picture.n_components; c++)
      take_field (&decoded->components[c], header.picture.components[c].depth,
          paco_n_fields (&header.picture), f, &planes[c]);
    paco_reference_blank_samples (&header.picture, destination, f, planes);
    for (unsigned c = 0; c < header.picture.n_components; c++)
      paco_reference_store_samples (
          &header.picture, destination, f, c, &planes[c]);
  }
  for (unsigned c = 0; c < header.picture.n_components; c++)
    paco_reference_plane_clear (&planes[c]);
  return memory
      || paco_fail (error, PACO_ERROR_MEMORY,
          "not enough memory for the samples of the picture");
}

gboolean
paco_reference_decode (const uint8_t *data, size_t size, unsigned reduce,
    const PacoPicture *destination, uint32_t *corrupted_blocks, GError **error)
{
  return paco_reference_decode_next (
      NULL, data, size, reduce, destination, corrupted_blocks, NULL, error);
}

gboolean
paco_reference_decode_next (PacoReferenceConcealer *concealer,
    const uint8_t *data, size_t size, unsigned reduce,
    const PacoPicture *destination, uint32_t *corrupted_blocks,
    uint32_t *concealed_blocks, GError **error)
{
  const PacoReferenceOptions options = { .reduce = reduce,
    .concealer = concealer };
  PacoReferencePicture picture;
  const char *message;
  PacoReferenceStatus status = paco_reference_decode_frame (
      data, size, &options, &picture, &message);
  gboolean done;

  if (status != PACO_REFERENCE_DONE)
    return paco_fail (error, codes[status], "%s", message);
  if (corrupted_blocks)
    *corrupted_blocks = picture.broken_blocks;
  if (concealed_blocks)
    *concealed_blocks = picture.concealed_blocks;
  done = store (data, size, &picture, destination, error);
  paco_reference_picture_clear (&picture);
  return done;
}
