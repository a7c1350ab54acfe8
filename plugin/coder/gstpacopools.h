/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The allocation query, as pacoenc and pacodec answer or make it: there must be enough
 * buffers for all frames in flight, in memory that the backend's device reaches by
 * itself. Any thread may call these. */
#pragma once
#include "gstpacocoder.h"

/* Proposes a pool for samples to upstream of an encoder. */
gboolean gst_paco_pools_propose (GstPacoCoder *coder, GstQuery *query);
/* Offers memory for encoded frames to upstream of a decoder. */
void gst_paco_pools_propose_coded (GstPacoCoder *coder, GstQuery *query);

/* Before the base class decides, changes what downstream has answered so that there are
 * buffers for the frames in flight; FALSE if no device memory can be had. */
gboolean gst_paco_pools_adapt (GstPacoCoder *coder, GstQuery *query);
/* Afterwards, prepares the pool that was chosen. Says whether it can allocate as many
 * buffers as it must have at least, which the base class does not check. */
gboolean gst_paco_pools_activate (GstQuery *query);
