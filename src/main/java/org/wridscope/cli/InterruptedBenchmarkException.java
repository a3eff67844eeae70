// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

/** The user has interrupted the benchmark. */
final class InterruptedBenchmarkException extends RuntimeException {
  InterruptedBenchmarkException() {
    super("interrupted");
  }
}
