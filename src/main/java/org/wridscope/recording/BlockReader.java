// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.wridscope.recording.TraceReader.Place;

/** Reads blocks of a recording, which may take long. */
@FunctionalInterface
interface BlockReader {
  /** What a block holds. */
  ByteBuffer payload(Place place) throws IOException;
}
