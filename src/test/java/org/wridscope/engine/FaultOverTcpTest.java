// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;

/** A work request fails, or the cable is cut, at every step of a migration over TCP. */
@ExtendWith(OverTcp.class)
final class FaultOverTcpTest extends FaultTest {}
