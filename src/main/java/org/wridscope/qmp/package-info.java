// SPDX-License-Identifier: Apache-2.0
/**
 * A client of the QEMU Machine Protocol: the ways to a QEMU, commands, events and errors, the
 * commands that a migration needs with checked answers, and the QEMUs that run on this machine.
 */
@NullMarked
package org.wridscope.qmp;

import org.jspecify.annotations.NullMarked;
