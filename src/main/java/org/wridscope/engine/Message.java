// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.nio.ByteBuffer;
import org.wridscope.protocol.ControlHeader;

/**
 * A control message that has arrived.
 *
 * @param payload its bytes in the receive buffer, from position 0 to the limit; valid until {@link
 *     ControlChannel#release}
 */
record Message(ControlHeader header, ByteBuffer payload, int buffer) {}
