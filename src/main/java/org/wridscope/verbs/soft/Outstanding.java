// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.List;
import java.util.stream.Stream;
import org.wridscope.time.Scheduler;

/**
 * What is outstanding at a queue pair under a schedule, at one moment.
 *
 * @param device its name
 * @param queuePair its number
 * @param posted to the send queue and not executed, oldest first
 * @param unacknowledged executed, but no acknowledgement has arrived, oldest first
 * @param completed what is to be polled: of the send queue, then of the receive queue; in their
 *     common order if both share a completion queue
 */
public record Outstanding(
    String device,
    int queuePair,
    List<PostedRequest> posted,
    List<PostedRequest> unacknowledged,
    List<PendingCompletion> completed) {

  public Outstanding {
    posted = List.copyOf(posted);
    unacknowledged = List.copyOf(unacknowledged);
    completed = List.copyOf(completed);
  }

  /** Of all queue pairs under a schedule. Only for its threads. */
  public static List<Outstanding> of(Scheduler scheduler) {
    return scheduler.automata().stream()
        .flatMap(automaton ->
            automaton instanceof SteppedProcessor device
                ? device.outstanding().stream()
                : Stream.empty())
        .toList();
  }
}
