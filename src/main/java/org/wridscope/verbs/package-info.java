// SPDX-License-Identifier: Apache-2.0
/**
 * The RDMA verbs as this program needs them, in the words of the InfiniBand specification and
 * rdma-core: interfaces, records and enums. No implementation, no protocol and no threads live
 * here.
 *
 * <p>Objects are not thread-safe unless their documentation says so: one thread owns a queue pair
 * and its completion queues, as it does in the engine.
 */
@NullMarked
package org.wridscope.verbs;

import org.jspecify.annotations.NullMarked;
