// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.control.attach.Snapshot;
import org.wridscope.control.attach.Snapshot.Pair;
import org.wridscope.control.attach.Snapshot.Verdict;
import org.wridscope.control.attach.ThreadReading;

/** What {@code attach PID --snapshot} prints. */
final class SnapshotTextTest {
  private static final Pair STILL =
      new Pair("rxe0", 18, "RC", "RTS", "10.9.0.1:7175", 17L, 5L, 5L, 9L, 9L, Verdict.STILL);

  private static Snapshot of(Pair... pairs) {
    return new Snapshot(
        7,
        "rping",
        1.04,
        List.of(pairs),
        List.of(
            new ThreadReading(
                8, "rping", "S", "read", "anon_inode:[infinibandevent]", "ib_wait", List.of("a"))));
  }

  private static String text(Pair... pairs) {
    return String.join("\n", SnapshotText.lines(of(pairs)));
  }

  @Test
  void aProcessThatStandsStill_isToldWithWhatItWaitsIn() {
    assertThat(text(STILL))
        .startsWith("rping 7: 1 queue pair, read twice in 1.0 s.\n")
        .contains("to QP 17 at 10.9.0.1:7175; still: no packet sequence number changed")
        .contains("are not known: the kernel does not tell them")
        .contains("waits in read of anon_inode:[infinibandevent] (ib_wait)")
        .endsWith(
            "1 queue pair: 0 moving, 1 still, 0 in error. The process is stuck, or has nothing to"
                + " send: see what its threads wait in.");
  }

  @Test
  void whatIsNotKnown_saysSo() {
    Pair moving = new Pair("rxe0", 19, null, null, null, 21L, 5L, 6L, null, null, Verdict.MOVING);

    assertThat(text(STILL, moving))
        .contains("5 > 6")
        .contains("to QP 21, host not known; moving")
        .contains("not known ")
        .endsWith("2 queue pairs: 1 moving, 1 still, 0 in error.");
    assertThat(text()).endsWith("The process has no queue pairs, as far as this user may see.");
  }

  @Test
  void asJson_membersThatAreNotKnown_areLeftOut() {
    Pair unknown =
        new Pair("rxe0", 19, null, "ERR", null, null, null, null, null, null, Verdict.IN_ERROR);

    assertThat(ReportJson.GSON.toJson(of(unknown)))
        .contains("\"state\": \"ERR\"", "\"verdict\": \"IN_ERROR\"", "\"place\": \"ib_wait\"")
        .doesNotContain("peer", "psn");
  }
}
