// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;

/**
 * How a {@link CompletionPoller} takes completions from the queues of its endpoint. The default
 * methods are those of the engine itself; only the demonstration in {@link SharedQueue} overrides
 * them.
 */
interface CompletionPolicy {

  /** Which completions end a wait. */
  enum Awaited {
    /** That of the SEND of a control message. */
    SEND,
    /** That of a receive. */
    RECEIVE,
    /** Those of RDMA WRITEs. */
    WRITE,
    /** That of any request, or something other than a completion. */
    ANY
  }

  /** Handles the completions that were taken. */
  @FunctionalInterface
  interface Handler {
    void completed(WorkCompletion completion, EventKind kind) throws IOException;
  }

  /**
   * Takes what has completed, without waiting.
   *
   * @return whether anything had
   */
  boolean take(Handler handler) throws IOException;

  /** Notes everything in this telemetry from now on, which has adopted the one before. */
  default void setTelemetry(SessionTelemetry telemetry) {}

  /** Requests a notification of the next completion on the endpoint's completion channel. */
  void requestNotification() throws VerbsException;

  /**
   * A wait begins.
   *
   * @param what it waits for
   * @return the work request that it waits for, 0 for none in particular
   */
  default long waitBegins(BooleanSupplier done, Awaited awaited, Wait what) {
    return 0;
  }

  /** The wait that began last has ended. */
  default void waitEnds() {}

  /**
   * The SEND of a control message has been posted.
   *
   * @param allSent whether every SEND has completed
   */
  default void posted(
      CompletionPoller poller, ControlType type, long workRequestId, BooleanSupplier allSent)
      throws IOException, InterruptedException {}

  /** Whether the engine may do something else while an answer of the peer is outstanding. */
  default boolean isPipelined() {
    return true;
  }

  /** The limit of a wait, which may be shorter when the wait is in vain. */
  default Duration limit(Duration limit) {
    return limit;
  }

  /**
   * A sentence about a completion that was lost, with a space before it, which explains why a wait
   * did not end; empty if none was lost.
   */
  default String loss() {
    return "";
  }
}
