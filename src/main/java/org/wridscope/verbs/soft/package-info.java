// SPDX-License-Identifier: Apache-2.0
/**
 * The embedded software RDMA device: channel adapters whose threads execute work requests with the
 * checks, states and error completions of hardware. Devices of a {@link
 * org.wridscope.verbs.soft.SoftFabric} copy memory inside this process, those of a {@link
 * org.wridscope.verbs.soft.SoftNetwork} reach each other over TCP; {@code docs/software-device.md}
 * describes the protocol and has a state diagram of the scheduling.
 *
 * <p>Classes named {@code Soft…} are common to both kinds of devices, {@code Local…} and {@code
 * Fabric…} belong to the first, {@code Network…} and {@code Link…} to the second.
 *
 * <p>Each device has one thread. It executes send requests, completes and flushes; on the network
 * it also reads and writes all sockets, none of which blocks it. Other threads post to work queues,
 * submit tasks and wait for results.
 *
 * <p>The package does nothing that a real device would not do, and knows nothing of the content of
 * memory or messages.
 */
@NullMarked
package org.wridscope.verbs.soft;

import org.jspecify.annotations.NullMarked;
