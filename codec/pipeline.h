/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames in flight: a ring of slots, each with a thread that does one frame at
 * a time. Frames are taken out in the order in which they were put in. Encoder
 * and decoder differ in what a job and a result are. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#define PACO_MAX_DEPTH 8

typedef struct _PacoPipeline PacoPipeline;

typedef struct
{
  size_t job_size, result_size; /* bytes */
  /* Does a frame, in the slot's thread. */
  void (*run) (void *owner, unsigned slot, void *job, void *result);
  /* Frees a result that nobody will collect. */
  void (*discard) (void *owner, void *result);
  void *owner;
} PacoPipelineClass;

/* NULL when threads cannot be had. */
PacoPipeline *paco_pipeline_new (
    const PacoPipelineClass *klass, unsigned depth);
/* Abandons what is in flight. */
void paco_pipeline_free (PacoPipeline *pipeline);

/* Waits for a free slot and copies the job there. A frame that is abandoned
 * while it waits counts as submitted. */
void paco_pipeline_submit (
    PacoPipeline *pipeline, const void *job, void *user_data);

/* Waits for the oldest frame and copies its result; FALSE if none is in
 * flight. */
bool paco_pipeline_collect (
    PacoPipeline *pipeline, void *result, void **user_data);

/* Drops all frames in flight, among them one that waits for a slot; returns
 * when nothing of them is in use any more. */
void paco_pipeline_abandon (PacoPipeline *pipeline, void (*drop) (void *));

/* Whether the frame of a slot has been abandoned and may as well stop. */
bool paco_pipeline_is_abandoned (PacoPipeline *pipeline, unsigned slot);

/* Whether nothing is in flight. */
bool paco_pipeline_is_idle (PacoPipeline *pipeline);
