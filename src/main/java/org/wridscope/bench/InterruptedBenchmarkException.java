// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

/** The user has interrupted the benchmark. */
public final class InterruptedBenchmarkException extends RuntimeException {
  InterruptedBenchmarkException() {
    super("interrupted");
  }
}
