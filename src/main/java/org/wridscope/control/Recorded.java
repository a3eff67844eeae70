// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Metrics;

/**
 * What a session has that comes from a file. Only {@link #isAtEnd} and {@link #measuredBefore}
 * depend on the moment that the session shows. Any thread may call these methods; those that read
 * the file throw an {@link IOException}, whose message is a sentence, when they no longer can.
 */
public interface Recorded {
  /** Name of the file, without the directory. */
  String file();

  /** The session's name when it was recorded. */
  String ownName();

  /** Whether it comes from a trace log of QEMU, which does not show whether the guest runs. */
  boolean ofQemu();

  /** Whether it comes from a log that a program wrote itself, whose times are its own. */
  boolean ofProgramLog();

  /**
   * Whether its times are those of a wall clock. A trace log of QEMU may have none, and the log of
   * another program may count from its own beginning.
   */
  boolean isTimed();

  /**
   * Whether its times tell how long something took. A trace log of QEMU may have none; the clock of
   * a schedule is no wall clock, but times are measured by it.
   */
  boolean measuresTime();

  /** The wall-clock time at a moment; means nothing unless it {@link #isTimed}. */
  Instant wallClock(long nanos);

  /** Whether the moment that it shows is its end. */
  boolean isAtEnd();

  /**
   * How long before the moment that it shows those metrics were measured that do not follow from
   * events, such as times and rates, in nanoseconds; empty before the first sample.
   */
  OptionalLong measuredBefore();

  /** The number of its events. */
  long events();

  /** Receives events from the file. */
  @FunctionalInterface
  interface EventReader {
    void event(Event event) throws IOException;
  }

  /** Passes on all events. */
  void forEachEvent(EventReader reader) throws IOException;

  /** Receives samples from the file. */
  @FunctionalInterface
  interface SampleReader {
    /** A sample. */
    void sample(long nanos, Metrics metrics) throws IOException;
  }

  /** Passes on all samples. */
  void forEachSample(SampleReader reader) throws IOException;

  /** Receives snapshots of virtio devices from the file. */
  @FunctionalInterface
  interface VirtioReader {
    /** A snapshot. */
    void snapshot(long nanos, VirtioSnapshot snapshot) throws IOException;
  }

  /** Passes on all snapshots of virtio devices. */
  void forEachVirtio(VirtioReader reader) throws IOException;

  /** The virtio devices at a moment; empty before they were set up. */
  Optional<VirtioSnapshot> virtioAt(long nanos) throws IOException;

  /**
   * A scenario as it is in a recording.
   *
   * @param name which the run's devices have
   * @param text in the form of a scenario's file, in one line
   */
  record ScenarioFile(String name, String text) {}

  /** The scenario of which it is a run under a schedule; null if it is none. */
  @Nullable ScenarioFile scenario();

  /** A copy on the same clock, which shows its end, for another thread. */
  Session copy() throws IOException;
}
