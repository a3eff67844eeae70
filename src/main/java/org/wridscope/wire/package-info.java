// SPDX-License-Identifier: Apache-2.0
/**
 * Packets of RDMA over Converged Ethernet (RoCE), of both versions, and of InfiniBand: capture
 * files, the headers of IBTA volume 1 (annexes 16 and 17 and chapters 5, 7, 8, 9 and 12), and what
 * follows from them about the requests of each queue pair. What a packet says is not trusted;
 * {@code docs/pcap.md} is the page for users.
 */
@NullMarked
package org.wridscope.wire;

import org.jspecify.annotations.NullMarked;
