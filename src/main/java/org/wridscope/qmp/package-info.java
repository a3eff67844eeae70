// SPDX-License-Identifier: Apache-2.0
/**
 * A client of the QEMU Machine Protocol: the ways to a QEMU, commands, events and errors, the
 * commands that a migration needs with checked answers, and the QEMUs that run on this machine. And
 * a server of it, without commands of its own: connections, sockets, dispatch.
 */
@NullMarked
package org.wridscope.qmp;

import org.jspecify.annotations.NullMarked;
