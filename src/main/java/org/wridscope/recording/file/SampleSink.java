// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

/** Receives samples, oldest first. */
@FunctionalInterface
public interface SampleSink {
  /**
   * Receives a sample, which is reused for the next one.
   *
   * @return whether to continue
   */
  boolean sample(Sample sample) throws RecordingException;
}
