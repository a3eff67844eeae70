// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;

/** Guests and devices fail during a migration over TCP. */
@ExtendWith(OverTcp.class)
final class BreakdownOverTcpTest extends BreakdownTest {}
