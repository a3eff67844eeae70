// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;

/** Migrations over TCP devices that support hardly more than the protocol needs. */
@ExtendWith(OverTcp.class)
final class TinyQueuesOverTcpTest extends TinyQueuesTest {}
