/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What muxers and demuxers call PaCo, for pacoenc and pacoparse. None of them knows
 * video/x-paco, but each has caps by which it carries any codec that has a
 * four-character code. */
#pragma once
#include <gst/gst.h>

/* The code, as it stands in the file: "PACO". */
#define GST_PACO_FOURCC GST_MAKE_FOURCC ('P', 'A', 'C', 'O')

/* The caps that the parser's pads take from demuxers (qtdemux, then matroskademux)
 * and offer to muxers (qtmux, mp4mux, matroskamux); 1329807696 is GST_PACO_FOURCC. */
#define GST_PACO_DEMUXED_CAPS                                                  \
  "video/x-gst-fourcc-PACO; video/x-unknown, fourcc = (string) PACO"
#define GST_PACO_MUXABLE_CAPS                                                  \
  "video/x-qt-part, format = (uint) 1329807696; "                              \
  "video/x-mp4-part, format = (uint) 1329807696; "                             \
  "video/x-wmv, wmvversion = (int) 3, format = (string) PACO"

/* Returns the caps in which the peer takes a stream of the fixed caps `coded`:
 * video/x-paco if possible, else a muxer's. NULL, with an error posted, if it takes
 * none. */
GstCaps *gst_paco_container_negotiate (
    GstElement *element, GstPad *pad, GstCaps *coded);

/* Refuses peers whose templates take no such stream, though caps intersect. */
GstPadLinkReturn gst_paco_container_link (
    GstPad *pad, GstObject *parent, GstPad *peer);

/* Returns the answer to a query with `filter`, or NULL, of a pad that takes `caps`,
 * which it frees. Fixed caps return as they are: a capsfilter after a source without
 * caps could not choose from ranges. */
GstCaps *gst_paco_container_filter_caps (GstCaps *caps, GstCaps *filter);

/* Returns the answer of a parser's sink pad to a query for its caps. */
GstCaps *gst_paco_container_parser_caps (
    GstPad *sink, GstPad *src, GstCaps *filter);

/* Says whether streams of these caps come with one whole frame in each buffer. */
gboolean gst_paco_container_is_framed (const GstStructure *caps);

/* Adds what upstream's caps say and frames do not to caps made from a frame. */
void gst_paco_container_add_upstream (GstCaps *caps, const GstCaps *upstream);
