// SPDX-License-Identifier: Apache-2.0
/**
 * The embedded software RDMA device: channel adapters whose threads execute work requests with the
 * checks, states and error completions of hardware. Devices of a {@link
 * org.wridscope.verbs.soft.SoftFabric} copy memory inside this process, those of a {@link
 * org.wridscope.verbs.soft.SoftNetwork} reach each other over TCP; {@code docs/software-device.md}
 * describes what they say there.
 *
 * <p>Each device has one thread. It executes send requests, completes and flushes; on the network
 * it also reads and writes all sockets, none of which blocks it. Others post into rings, leave
 * errands and wait for answers.
 *
 * <p>Nothing lives here that a real device would not do, and nothing that knows what the memory or
 * the messages mean.
 */
@NullMarked
package org.wridscope.verbs.soft;

import org.jspecify.annotations.NullMarked;
