// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

/** The user does not want to wait for the results. */
final class InterruptedBenchmarkException extends RuntimeException {
  InterruptedBenchmarkException() {
    super("interrupted");
  }
}
