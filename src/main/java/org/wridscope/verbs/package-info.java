// SPDX-License-Identifier: Apache-2.0
/**
 * The RDMA verbs that this program uses, in the terms of the InfiniBand specification and
 * rdma-core: interfaces, records and enums, without implementation, protocol or threads.
 *
 * <p>Objects are not thread-safe unless their documentation says so: one thread owns a queue pair
 * and its completion queues, as in the engine.
 */
@NullMarked
package org.wridscope.verbs;

import org.jspecify.annotations.NullMarked;
