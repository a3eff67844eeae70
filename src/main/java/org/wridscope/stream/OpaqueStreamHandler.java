// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Receives the parts of a stream from an {@link OpaqueStreamReader}, in their order. */
public interface OpaqueStreamHandler {

  /**
   * The RAM blocks of the source: at least one, with unique names. Called once, first.
   *
   * @param machineType for example {@code pc-i440fx-7.2}; null if the stream does not have it
   */
  void ramBlocks(@Nullable String machineType, List<BlockListing> blocks) throws IOException;

  /**
   * Runs the registration loop, which handles control messages until REGISTER FINISHED. The input
   * has no unread bytes meanwhile. Called once for SETUP, any number of times for ROUND, and once
   * for FINISH.
   */
  void hook(RamPhase phase) throws IOException;

  /**
   * RAM is final, and the source has not yet been asked for the rest, before which it does not hand
   * its guest over. Called once, after FINISH.
   */
  void ramComplete(StreamEnvelope envelope) throws IOException;

  /**
   * The rest of the stream, device states and a description of the machine, which ends where the
   * source ends it. Called once, last.
   *
   * @param rest must be read to its end
   */
  void tail(InputStream rest) throws IOException;
}
