// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.JsonElement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Unseen;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * What a foreign program posted and polled, as JSON: the counts of {@link ProgramSummary}, of every
 * queue.
 *
 * @param program its name and process id
 * @param outcome how it ended, a sentence; left out if that was not recorded
 * @param notSeen what is known to be missing
 */
record ProgramJson(String program, @Nullable String outcome, List<Queue> queues, NotSeen notSeen) {

  /**
   * A queue.
   *
   * @param name of its queue pair or shared receive queue
   * @param queue {@code send} or {@code receive}
   * @param mostOpen the most requests that had not ended at one time; this and {@code open} are
   *     left out where completions are not seen
   * @param completions polled, by status
   * @param covered unsignaled requests that ended with the completion of a later one
   * @param open requests that have not ended
   * @param unmatched completions whose post was not seen
   * @param refused requests that the post function refused
   */
  record Queue(
      String name,
      String queue,
      long posted,
      @Nullable Long mostOpen,
      Map<WorkCompletionStatus, Long> completions,
      long covered,
      @Nullable Long open,
      long unmatched,
      long refused) {

    static Queue of(Requests requests, QueueType type, QueueCounts counts) {
      boolean known = requests.of(type).seesCompletions();
      return new Queue(
          requests.nameOf(counts.id()),
          type.text(),
          counts.posted(),
          known ? counts.mostOpen() : null,
          new TreeMap<>(counts.polled()),
          counts.covered(),
          known ? counts.open() : null,
          counts.unmatched(),
          counts.refused());
    }
  }

  /**
   * What was not seen.
   *
   * @param requests of chains that were too long
   * @param completions of batches that were too long
   * @param lost events that came faster than they were written
   * @param notKept events that are not in the file
   * @param refused requests after one that was refused
   * @param early posts and completions before all probes were in place
   */
  record NotSeen(
      long requests, long completions, long lost, long notKept, long refused, long early) {}

  static JsonElement of(String program, @Nullable String outcome, Requests requests) {
    Unseen unseen = requests.unseen();
    return ReportJson.GSON.toJsonTree(
        new ProgramJson(
            program,
            outcome,
            Arrays.stream(QueueType.values())
                .flatMap(type ->
                    requests.of(type).queues().stream()
                        .map(counts -> Queue.of(requests, type, counts)))
                .toList(),
            new NotSeen(
                unseen.requests(),
                unseen.completions(),
                unseen.lost(),
                requests.missed(),
                unseen.refused(),
                unseen.early())));
  }
}
