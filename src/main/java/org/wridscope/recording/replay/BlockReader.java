// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.wridscope.recording.file.RecordingReader.Place;

/** Reads blocks of a recording; may block for long. */
@FunctionalInterface
interface BlockReader {
  /** The content of a block. */
  ByteBuffer payload(Place place) throws IOException;
}
