// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;

/** Peers send nothing more on a TCP connection that stays open. */
@ExtendWith(OverTcp.class)
final class SilentPeerOverTcpTest extends SilentPeerTest {}
