// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Has placed probes, and tells what they see. One thread reads it. */
sealed interface Tracer extends AutoCloseable permits Bpftrace, Uprobes {
  /**
   * Waits for what it tells next; the first is a {@link TraceLine.Kind#BEGIN} when the probes are
   * in place. Null at the end.
   */
  @Nullable TraceLine next() throws IOException;

  /** Why it has ended or does not begin, a phrase. */
  String reason();

  /** Ends it; what was seen until then can still be read. Does not wait. */
  void stop();

  /** Ends it and removes the probes. Waits until what they saw has been read, with a time limit. */
  @Override
  void close();
}
