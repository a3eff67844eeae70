// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.Slow;

/** Peers send nothing more on a TCP connection that stays open. */
@Slow("time limits over TCP, which takes real time")
@ExtendWith(OverTcp.class)
final class SilentPeerOverTcpTest extends SilentPeerTest {}
