// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Receives what a capture shows of reliable connections, in the order of the capture. Times are
 * those at which a packet passed, in nanoseconds since 1970. The end is that of the requester: 0
 * for the first of a connection, 1 for the second. What is not overridden is ignored.
 */
public interface CaptureListener {

  /** The first packet of a request was seen. */
  default void began(WireConnection connection, int end, WireRequest request, long nanos)
      throws IOException {}

  /** All packets of a SEND were seen. */
  default void sent(WireConnection connection, int end, WireRequest request, long nanos)
      throws IOException {}

  /**
   * A request was acknowledged, by an acknowledgement of its own or of a later one, or refused for
   * good.
   */
  default void completed(
      WireConnection connection,
      int end,
      WireRequest request,
      WorkCompletionStatus status,
      long nanos)
      throws IOException {}

  /**
   * The capture tells that a program polled the completion of a request, which covers the
   * unsignaled ones before it.
   *
   * @param nanos when it did
   * @param toldNanos when the packet passed that tells it
   */
  default void polled(
      WireConnection connection, int end, WireRequest request, long nanos, long toldNanos)
      throws IOException {}

  /**
   * A request is sent again: the first packet of a further attempt was seen.
   *
   * @param otherData whether other data than before was seen of it, in a SEND
   * @param psn of that packet
   */
  default void repeated(
      WireConnection connection,
      int end,
      WireRequest request,
      boolean otherData,
      int psn,
      long nanos)
      throws IOException {}

  /**
   * A request was answered with a negative acknowledgement.
   *
   * @param request null when it was not captured
   * @param psn that the acknowledgement names
   */
  default void refused(
      WireConnection connection,
      int end,
      @Nullable WireRequest request,
      Syndrome syndrome,
      int psn,
      long nanos)
      throws IOException {}

  /** An end was told that its packets meet congestion. */
  default void congested(WireConnection connection, int end, long nanos) throws IOException {}

  /** An end asked to disconnect. */
  default void disconnecting(WireConnection connection, int end, long nanos) throws IOException {}
}
