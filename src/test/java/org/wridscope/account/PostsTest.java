// SPDX-License-Identifier: Apache-2.0
package org.wridscope.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;

/** Which requests a completion of the send queue covers, and what chunks are after it. */
final class PostsTest {
  private static final long SEND = WorkRequestId.CONTROL_SEND;
  private static final int FAILED = 12;
  private static final int LENGTH = 4096;

  private final Posts posts = new Posts();

  private static long write(long chunk) {
    return WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, chunk);
  }

  private List<Long> covered(long wrid, boolean ok) {
    var covered = new ArrayList<Long>();
    assertThat(posts.completed(wrid, ok, (before, _) -> covered.add(before))).isEqualTo(LENGTH);
    return covered;
  }

  @Test
  void success_coversTheUnsignaledBefore_andNoLaterOne() {
    posts.posted(write(1), LENGTH, false);
    posts.posted(write(2), LENGTH, true);
    posts.posted(write(3), LENGTH, false);
    assertThat(covered(write(2), true)).containsExactly(write(1));
    posts.posted(SEND, LENGTH, true);
    assertThat(covered(SEND, true)).containsExactly(write(3));
  }

  /** Several writes to a chunk have one wrid; only a signaled one completes with success. */
  @Test
  void successOfAWridThatIsThereTwice_isThatOfTheSignaledOne() {
    posts.posted(write(1), LENGTH, false);
    posts.posted(write(1), LENGTH, true);
    assertThat(covered(write(1), true)).containsExactly(write(1));
    assertThat(posts.completed(write(1), true, (_, _) -> {})).isEqualTo(Posts.UNKNOWN);
  }

  @Test
  void failure_isThatOfTheOldestWithItsWrid_andAllBeforeHaveSucceeded() {
    posts.posted(write(1), LENGTH, false);
    posts.posted(write(2), LENGTH, true);
    posts.posted(write(3), LENGTH, false);
    posts.posted(write(3), LENGTH, true);
    assertThat(covered(write(3), false)).containsExactly(write(1), write(2));
    assertThat(covered(write(3), false)).isEmpty();
  }

  @Test
  void completionOfAnUnknownRequest_coversNothing() {
    posts.posted(write(1), LENGTH, false);
    assertThat(posts.completed(write(2), true, (_, _) -> {})).isEqualTo(Posts.UNKNOWN);
    assertThat(covered(write(1), true)).isEmpty();
  }

  /** What the events after the last recorded look at the chunks make of them. */
  @Test
  void chunks_followTheCompletions_andAreNotRegisteredAfterTheEnd() {
    var table = new ChunkTable(0, "pc.ram", 4 << 20, 0);
    var account = new Account(Role.SOURCE, _ -> Account.UNKNOWN_LENGTH, true);
    account.setBlocks(List.of(table));
    account.event(0, EventKind.REGISTERED, 0, 4, write(0), 7);
    account.event(0, EventKind.KEY_GIVEN, 0, 4, write(0), 9);
    assertThat(table.remoteKey(3)).isEqualTo(9);
    assertThat(table.state(3)).isEqualTo(ChunkState.REGISTERED);
    account.event(0, EventKind.POST_WRITE, 0, 4096, write(0), 0);
    account.event(0, EventKind.CONTROL_SENT, ControlType.HEARTBEAT.value(), 0, SEND, 1);
    account.event(0, EventKind.POST_WRITE, 1, 4096, write(1), 0);
    account.event(0, EventKind.COMPLETION_SEND_QUEUE, 0, 0, SEND, 0);
    assertThat(table.state(0)).as("covered by the SEND").isEqualTo(ChunkState.SENT);
    assertThat(table.state(1)).isEqualTo(ChunkState.IN_TRANSIT);
    account.event(0, EventKind.COMPLETION_SEND_QUEUE, FAILED, 0, write(1), 0);
    assertThat(table.state(1)).isEqualTo(ChunkState.DIRTY_AGAIN);
    account.event(0, EventKind.DEREGISTERED, 0, 4, write(0), 7);
    assertThat(table.state(0)).isEqualTo(ChunkState.SENT);
    assertThat(table.state(3)).as("had only a key").isEqualTo(ChunkState.NOT_REGISTERED);
  }
}
