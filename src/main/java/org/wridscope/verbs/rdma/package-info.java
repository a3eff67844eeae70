// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA devices of this machine, through DiSNI and the distribution's rdma-core. DiSNI's own native
 * library is not needed: {@code com.ibm.disni.verbs.impl.NativeDispatcher} of this program takes
 * the place of the class that would load it, and calls the C functions bound in {@code ffm}.
 *
 * <p>Protection domains, completion channels and queues, queue pairs, event channels and connection
 * identifiers are created and destroyed through DiSNI. The following is done on the same native
 * objects without DiSNI, since its interface (2.1) has no room for it:
 *
 * <ul>
 *   <li>registering memory: lengths are 32-bit;
 *   <li>events of the connection manager: private data, status and the identifier of a request are
 *       not passed on;
 *   <li>connect, accept and reject: accept and reject carry no private data, and the number of
 *       outstanding reads cannot be set;
 *   <li>binding and resolving addresses: IPv4 only;
 *   <li>completion events: the queue that an event is of is not passed on;
 *   <li>asynchronous events, querying devices, ports and queue pairs, changing a queue pair's
 *       state: missing, or without attributes;
 *   <li>polling: a failed completion has no vendor error and no queue pair number;
 *   <li>requesting a notification: the error number is lost;
 *   <li>posting: a prepared send is bound to its operation, a prepared receive to its memory, and
 *       preparing allocates.
 * </ul>
 *
 * <p>One object owns each native handle, and no handle is used after its object was closed; doing
 * so would crash the process.
 */
@NullMarked
package org.wridscope.verbs.rdma;

import org.jspecify.annotations.NullMarked;
