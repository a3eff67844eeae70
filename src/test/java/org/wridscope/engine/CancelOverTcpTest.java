// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.Slow;

/** A session is cancelled at some steps of a migration over TCP. */
@Slow("cancels over TCP, which takes real time")
@ExtendWith(OverTcp.class)
final class CancelOverTcpTest extends CancelTest {}
