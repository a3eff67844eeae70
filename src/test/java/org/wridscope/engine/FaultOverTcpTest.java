// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.Slow;

/** A work request fails, or the cable is cut, at some steps of a migration over TCP. */
@Slow("faults over TCP, which takes real time")
@ExtendWith(OverTcp.class)
final class FaultOverTcpTest extends FaultTest {}
