// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an {@link OpaqueStreamReader} finds, in the order of the stream. */
public interface OpaqueStreamHandler {

  /**
   * The RAM blocks of the source: at least one, names are unique. Once, first.
   *
   * @param machineType for example {@code pc-i440fx-7.2}, null when the stream does not say
   */
  void ramBlocks(@Nullable String machineType, List<BlockListing> blocks) throws IOException;

  /**
   * Runs the registration loop: control messages, until REGISTER FINISHED. The input has no unread
   * bytes meanwhile. Once for SETUP, any number of times for ROUND, once for FINISH.
   */
  void hook(RamPhase phase) throws IOException;

  /**
   * RAM is final now, and the source was not yet asked for more: until it is, and has sent the
   * rest, it has not given its guest up. Once, after FINISH.
   */
  void ramComplete(StreamEnvelope envelope) throws IOException;

  /**
   * The rest of the stream, device states and a description of the machine, up to where the source
   * ends it. Once, last.
   *
   * @param rest to be read to its end
   */
  void tail(InputStream rest) throws IOException;
}
