// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.wridscope.control.attach.Snapshot.Pair;
import org.wridscope.control.attach.Snapshot.Verdict;
import org.wridscope.host.Processor;

/** Which queue pairs move, and what threads wait in. */
final class SnapshotTest {
  private static QueuePairReading pair(
      long number, @Nullable String state, @Nullable Long sent, @Nullable Long received) {
    return new QueuePairReading(7, "rxe0", number, "RC", state, 21L, sent, received);
  }

  @Test
  void aQueuePairMoves_ifAPacketSequenceNumberChanged() {
    List<QueuePairReading> before =
        List.of(
            pair(1, "RTS", 5L, 9L),
            pair(2, "RTS", 5L, 9L),
            pair(3, "RTR", 5L, 16777215L),
            pair(4, "RTS", 5L, 9L),
            pair(5, "RTS", 5L, 9L),
            pair(6, "INIT", 0L, 0L),
            pair(7, "RTS", null, null),
            pair(8, null, 5L, 9L),
            pair(9, "RTS", null, 9L),
            pair(10, "UNKNOWN", 5L, 9L));
    List<QueuePairReading> after =
        List.of(
            pair(1, "RTS", 6L, 9L),
            pair(2, "RTS", 5L, 9L),
            pair(3, "RTR", 5L, 0L),
            pair(4, "ERR", 6L, 9L),
            pair(6, "INIT", 0L, 0L),
            pair(7, "RTS", null, null),
            pair(8, null, 6L, 9L),
            pair(9, "RTS", 5L, 9L),
            pair(10, "UNKNOWN", 5L, 9L),
            pair(11, "RTS", 1L, 1L));

    assertThat(
            Snapshot.compare(
                before, after, Map.of(new QueuePairReading.Key("rxe0", 2), "192.0.2.1:5")))
        .extracting(Pair::number, Pair::verdict, Pair::peer, Pair::peerQueuePair)
        .containsExactly(
            tuple(1L, Verdict.MOVING, null, 21L),
            tuple(2L, Verdict.STILL, "192.0.2.1:5", 21L),
            tuple(3L, Verdict.MOVING, null, 21L),
            tuple(4L, Verdict.IN_ERROR, null, 21L),
            tuple(5L, Verdict.DESTROYED, null, 21L),
            tuple(6L, Verdict.NOT_CONNECTED, null, null),
            tuple(7L, Verdict.NOT_KNOWN, null, 21L),
            tuple(8L, Verdict.NOT_KNOWN, null, null),
            tuple(9L, Verdict.STILL, null, 21L),
            tuple(10L, Verdict.NOT_KNOWN, null, null),
            tuple(11L, Verdict.CREATED, null, 21L));
  }

  @Test
  void queuePairsOfOneNumber_onTwoDevices_haveTheirOwnPeers() {
    List<QueuePairReading> both =
        List.of(
            new QueuePairReading(7, "rxe0", 17, "RC", "RTS", 21L, 5L, 9L),
            new QueuePairReading(7, "rxe1", 17, "RC", "RTS", 22L, 5L, 9L));

    assertThat(
            Snapshot.compare(
                both,
                both,
                Map.of(
                    new QueuePairReading.Key("rxe0", 17),
                    "10.9.0.2:1",
                    new QueuePairReading.Key("rxe1", 17),
                    "10.8.0.5:1")))
        .extracting(Pair::device, Pair::peer, Pair::peerQueuePair)
        .containsExactly(tuple("rxe0", "10.9.0.2:1", 21L), tuple("rxe1", "10.8.0.5:1", 22L));
  }

  private static ThreadReading thread(String stat, @Nullable String syscall, @Nullable String in) {
    return ThreadReading.parse(
        9, stat, syscall, in, "[<0>] a_b+0x1/0x2\n[<0>] c.constprop.0+0x3/0x4\n", fd -> "fd " + fd);
  }

  @Test
  void aThreadThatReadsAnEvent_saysOfWhichFile() {
    int read = Processor.HERE == Processor.AARCH64 ? 63 : 0;
    ThreadReading waiting =
        thread("9 (a ) S (b) S 1 2", read + " 0x5 0x7ffd 0x8 0x0 0x0 0x0 0x1 0x2\n", "ib_event\n");

    assertThat(waiting.name()).isEqualTo("a ) S (b");
    assertThat(waiting.text()).isEqualTo("waits in read of fd 5 (ib_event)");
    assertThat(waiting.stack()).containsExactly("a_b", "c.constprop.0");
  }

  @Test
  void whatMayNotBeRead_isLeftOut() {
    assertThat(thread("9 (x) R 1 2", "running\n", "0").text()).isEqualTo("runs, and does not wait");
    assertThat(thread("9 (x) S 1 2", null, null).text()).isEqualTo("waits");
    assertThat(thread("9 (x) D 1 2", "-1 0x7ffd 0x1", "0").text()).isEqualTo("waits");
    assertThat(thread("9 (x) S 1 2", "99999 0x1", null).text())
        .isEqualTo("waits in system call 99999");
    assertThat(thread("", "x", "\u001b[31m").name()).isEqualTo("?");
    assertThat(thread("9 (x) S", null, "\u001b[31m").text()).doesNotContain("\u001b");
  }

  @Test
  void theThreadsOfThisProcess_areRead() throws Exception {
    assertThat(ThreadReading.of(ProcessHandle.current().pid()))
        .extracting(ThreadReading::id)
        .contains(ProcessHandle.current().pid());
    assertThatIOException()
        .isThrownBy(() -> ThreadReading.of(999_999_999))
        .withMessage("Process 999999999 has ended meanwhile.");
  }

  @Test
  void aProcessThatDoesNotExist_isRefused() {
    assertThatIOException()
        .isThrownBy(() -> Snapshot.take(999_999_999))
        .withMessage("There is no process 999999999.");
  }
}
