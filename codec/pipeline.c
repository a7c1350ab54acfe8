/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames in flight. Frame number n uses slot n modulo depth; `submitted` and
 * `collected` count frames, so the slots between them are in use. One condition
 * serves all: whoever waits looks at the state again when anything changes. */
#include "codec/pipeline.h"
#include <string.h>

typedef enum
{
  SLOT_FREE,
  SLOT_QUEUED,
  SLOT_RUNNING,
  SLOT_DONE,
} SlotState;

typedef struct
{
  PacoPipeline *pipeline;
  unsigned number;
  GThread *thread;
  SlotState state;
  gint abandoned; /* atomic */
  void *job, *result, *user_data;
} Slot;

struct _PacoPipeline
{
  PacoPipelineClass klass;
  unsigned depth;
  GMutex lock;
  GCond changed;
  Slot slots[PACO_MAX_DEPTH];
  guint64 submitted, collected;
  guint generation; /* counts abandons */
  bool submit_waits;
  void *waiting_user_data;
  bool quit;
};

static gpointer
slot_main (gpointer data)
{
  Slot *slot = data;
  PacoPipeline *pipeline = slot->pipeline;

  g_mutex_lock (&pipeline->lock);
  while (!pipeline->quit) {
    if (slot->state != SLOT_QUEUED) {
      g_cond_wait (&pipeline->changed, &pipeline->lock);
      continue;
    }
    slot->state = SLOT_RUNNING;
    g_mutex_unlock (&pipeline->lock);
    pipeline->klass.run (
        pipeline->klass.owner, slot->number, slot->job, slot->result);
    g_mutex_lock (&pipeline->lock);
    slot->state = SLOT_DONE;
    g_cond_broadcast (&pipeline->changed);
  }
  g_mutex_unlock (&pipeline->lock);
  return NULL;
}

PacoPipeline *
paco_pipeline_new (const PacoPipelineClass *klass, unsigned depth)
{
  PacoPipeline *pipeline = g_new0 (PacoPipeline, 1);

  pipeline->klass = *klass;
  pipeline->depth = CLAMP (depth, 1, PACO_MAX_DEPTH);
  g_mutex_init (&pipeline->lock);
  g_cond_init (&pipeline->changed);
  for (unsigned i = 0; i < pipeline->depth; i++) {
    Slot *slot = &pipeline->slots[i];

    slot->pipeline = pipeline;
    slot->number = i;
    slot->job = g_malloc0 (klass->job_size);
    slot->result = g_malloc0 (klass->result_size);
    slot->thread = g_thread_try_new ("paco-frame", slot_main, slot, NULL);
    if (!slot->thread) {
      paco_pipeline_free (pipeline);
      return NULL;
    }
  }
  return pipeline;
}

void
paco_pipeline_free (PacoPipeline *pipeline)
{
  if (!pipeline)
    return;
  paco_pipeline_abandon (pipeline, NULL);
  g_mutex_lock (&pipeline->lock);
  pipeline->quit = true;
  g_cond_broadcast (&pipeline->changed);
  g_mutex_unlock (&pipeline->lock);
  for (unsigned i = 0; i < pipeline->depth; i++) {
    if (pipeline->slots[i].thread)
      g_thread_join (pipeline->slots[i].thread);
    g_free (pipeline->slots[i].job);
    g_free (pipeline->slots[i].result);
  }
  g_cond_clear (&pipeline->changed);
  g_mutex_clear (&pipeline->lock);
  g_free (pipeline);
}

void
paco_pipeline_submit (PacoPipeline *pipeline, const void *job, void *user_data)
{
  guint generation;

  g_mutex_lock (&pipeline->lock);
  generation = pipeline->generation;
  pipeline->submit_waits = true;
  pipeline->waiting_user_data = user_data;
  while (pipeline->submitted - pipeline->collected == pipeline->depth
      && generation == pipeline->generation)
    g_cond_wait (&pipeline->changed, &pipeline->lock);
  if (generation == pipeline->generation) {
    Slot *slot = &pipeline->slots[pipeline->submitted++ % pipeline->depth];

    memcpy (slot->job, job, pipeline->klass.job_size);
    slot->user_data = user_data;
    g_atomic_int_set (&slot->abandoned, FALSE);
    slot->state = SLOT_QUEUED;
    pipeline->submit_waits = false;
    g_cond_broadcast (&pipeline->changed);
  }
  g_mutex_unlock (&pipeline->lock);
}

bool
paco_pipeline_collect (PacoPipeline *pipeline, void *result, void **user_data)
{
  bool collected = false;

  g_mutex_lock (&pipeline->lock);
  while (!collected && pipeline->collected < pipeline->submitted) {
    Slot *slot = &pipeline->slots[pipeline->collected % pipeline->depth];

    if (slot->state == SLOT_DONE && !g_atomic_int_get (&slot->abandoned)) {
      memcpy (result, slot->result, pipeline->klass.result_size);
      *user_data = slot->user_data;
      slot->state = SLOT_FREE;
      pipeline->collected++;
      collected = true;
      g_cond_broadcast (&pipeline->changed);
    } else {
      g_cond_wait (&pipeline->changed, &pipeline->lock);
    }
  }
  g_mutex_unlock (&pipeline->lock);
  return collected;
}

/* Empties the slots of the frames before number `end` as their threads are
 * done with them. Another thread may be doing the same. */
static void
discard_before (PacoPipeline *pipeline, guint64 end)
{
  while (pipeline->collected < end) {
    Slot *slot = &pipeline->slots[pipeline->collected % pipeline->depth];

    if (slot->state == SLOT_RUNNING) {
      g_cond_wait (&pipeline->changed, &pipeline->lock);
      continue;
    }
    if (slot->state == SLOT_DONE)
      pipeline->klass.discard (pipeline->klass.owner, slot->result);
    slot->state = SLOT_FREE;
    pipeline->collected++;
  }
}

void
paco_pipeline_abandon (PacoPipeline *pipeline, void (*drop) (void *))
{
  void *dropped[PACO_MAX_DEPTH + 1];
  unsigned n_dropped = 0;
  guint64 end;

  g_mutex_lock (&pipeline->lock);
  pipeline->generation++;
  end = pipeline->submitted;
  for (guint64 n = pipeline->collected; n < end; n++) {
    Slot *slot = &pipeline->slots[n % pipeline->depth];

    if (g_atomic_int_get (&slot->abandoned))
      continue;
    g_atomic_int_set (&slot->abandoned, TRUE);
    if (slot->state == SLOT_QUEUED)
      slot->state = SLOT_FREE;
    dropped[n_dropped++] = slot->user_data;
  }
  if (pipeline->submit_waits) {
    dropped[n_dropped++] = pipeline->waiting_user_data;
    pipeline->submit_waits = false;
  }
  discard_before (pipeline, end);
  g_cond_broadcast (&pipeline->changed);
  g_mutex_unlock (&pipeline->lock);
  for (unsigned i = 0; drop && i < n_dropped; i++)
    drop (dropped[i]);
}

bool
paco_pipeline_is_abandoned (PacoPipeline *pipeline, unsigned slot)
{
  return g_atomic_int_get (&pipeline->slots[slot].abandoned);
}

bool
paco_pipeline_is_idle (PacoPipeline *pipeline)
{
  bool idle;

  g_mutex_lock (&pipeline->lock);
  idle = pipeline->submitted == pipeline->collected;
  g_mutex_unlock (&pipeline->lock);
  return idle;
}
