// SPDX-License-Identifier: Apache-2.0
/**
 * Packets of RDMA over Converged Ethernet, version 2 (RoCEv2): capture files, the headers of IBTA
 * volume 1 (annex 17 and chapters 5, 9 and 12), and what follows from them about the requests of
 * each queue pair. What a packet says is not trusted; {@code docs/pcap.md} is the page for users.
 */
@NullMarked
package org.wridscope.wire;

import org.jspecify.annotations.NullMarked;
