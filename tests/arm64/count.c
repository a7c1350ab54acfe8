/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A plugin for QEMU (version 7 or 8) that counts the instructions that a program
 * executes, and writes the number to stderr at its end: what can be known of code
 * for a machine that is not there. tests/arm64.sh --count builds and loads it.
 *
 *   qemu-aarch64 -plugin count.so PROGRAM...
 *
 * What it uses of QEMU's interface is declared here, since Debian packages no
 * header of it. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* These are of qemu-plugin.h, version 1 of the interface. */
typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
enum qemu_plugin_op
{
  QEMU_PLUGIN_INLINE_ADD_U64,
};
void qemu_plugin_register_vcpu_tb_trans_cb (qemu_plugin_id_t id,
    void (*callback) (qemu_plugin_id_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_inline (struct qemu_plugin_tb *block,
    enum qemu_plugin_op op, void *sum, uint64_t addend);
void qemu_plugin_register_atexit_cb (qemu_plugin_id_t id,
    void (*callback) (qemu_plugin_id_t id, void *data), void *data);
size_t qemu_plugin_tb_n_insns (const struct qemu_plugin_tb *block);

extern EXPORT int qemu_plugin_version;
int qemu_plugin_version = 1;

static uint64_t n_instructions;

static void
count_block (qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
  qemu_plugin_register_vcpu_tb_exec_inline (block, QEMU_PLUGIN_INLINE_ADD_U64,
      &n_instructions, qemu_plugin_tb_n_insns (block));
}

static void
say_count (qemu_plugin_id_t id, void *data)
{
  fprintf (stderr, "%" PRIu64 " instructions\n", n_instructions);
}

EXPORT int qemu_plugin_install (
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

int
qemu_plugin_install (
    qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
  qemu_plugin_register_vcpu_tb_trans_cb (id, count_block);
  qemu_plugin_register_atexit_cb (id, say_count, NULL);
  return 0;
}
