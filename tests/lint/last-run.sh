#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Says whether the last run on a GPU was one of these sources. If not, the test is skipped
# with that reason: a change can land before a machine with a GPU is there.
cd "${PACO_SOURCE_ROOT:?}" || exit 1
hash=$(sh tests/gpu/source-hash.sh) || exit 1
grep -qF "\"sources\": \"$hash\"" tests/gpu/last-run.json && exit
echo "tests/gpu/last-run.json is of other sources than these, which are $hash:"
echo 'run tests/gpu/run.sh on a machine with a GPU.'
exit 77
