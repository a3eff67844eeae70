// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Evidence.Part;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.WorkCompletionStatus;

/** How much of what a finding tells lies in a range of time. */
final class EvidenceTest {
  private static final int FLUSHED = WorkCompletionStatus.WR_FLUSH_ERR.value();
  private static final int RETRIES = WorkCompletionStatus.RETRY_EXC_ERR.value();

  private final Script script = new Script(Role.SOURCE);
  private final long start = script.now();

  private Requests threeFailed() {
    for (int chunk = 1; chunk <= 4; chunk++) {
      script.postWrite(Script.write(0, chunk), true);
    }
    script.at(1_000_000).completion(Script.write(0, 1), RETRIES);
    script.at(2_000_000).completion(Script.write(0, 2), FLUSHED);
    script.at(3_000_000).completion(Script.write(0, 3), FLUSHED);
    return script.requests();
  }

  @Test
  void completions_areCountedFromTheBeginningToBeforeTheEndOfTheRange() {
    Requests requests = threeFailed();
    var failed = new Evidence.Marked(Marks.Kind.FAILED);
    assertThat(failed.in(requests, start, start + 3_000_000)).isEqualTo(new Part(2, 3));
    assertThat(failed.in(requests, start + 3_000_000, start + 3_000_001)).isEqualTo(new Part(1, 3));
    assertThat(failed.in(requests, start, start + 500_000)).isEqualTo(new Part(0, 3));
    var flushed = new Evidence.Marked(Set.of(Marks.Kind.FAILED), WorkCompletionStatus.WR_FLUSH_ERR);
    assertThat(flushed.in(requests, start, start + 2_500_000)).isEqualTo(new Part(1, 2));
  }

  /** Their times are not known, for example because the events are missing. */
  @Test
  void completionsThatWereNotSeen_haveNoPlaceInARange() {
    assertThat(new Evidence.Marked(Marks.Kind.DROPPED).in(threeFailed(), start, start + 1))
        .isNull();
  }

  @Test
  void requestsThatNeverCompleted_areWhereTheyWerePosted() {
    Requests requests = threeFailed();
    var open = new Evidence.Open();
    assertThat(open.in(requests, start, start + 1_000_000)).isEqualTo(new Part(1, 1));
    assertThat(open.in(requests, start + 1_000_000, start + 9_000_000)).isEqualTo(new Part(0, 1));
  }

  @Test
  void pause_isInEveryRangeThatItTouches() {
    Requests requests = threeFailed();
    var pause = new Evidence.Lasting(100, 200);
    assertThat(pause.in(requests, 150, 160)).isEqualTo(new Part(1, 1));
    assertThat(pause.in(requests, 0, 100)).isEqualTo(new Part(0, 1));
    assertThat(pause.in(requests, 201, 300)).isEqualTo(new Part(0, 1));
  }
}
