// SPDX-License-Identifier: Apache-2.0
package org.wridscope.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.UnregisterStep;

/** What events make of chunks. */
final class ChunksTest {
  private static final long FROM_3 = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 3);

  private final ChunkTable table = new ChunkTable(0, "pc.ram", 8L << 20, 0);

  private Account account(Role role) {
    var account = new Account(role, _ -> Account.UNKNOWN_LENGTH, true);
    account.setBlocks(List.of(table));
    return account;
  }

  private static void step(Account account, UnregisterStep step, int chunks, long wrid) {
    account.event(0, EventKind.UNREGISTER, step.ordinal(), chunks, wrid, 0);
  }

  @Test
  void source_isShownEachStepOfARegistrationThatIsGivenBack() {
    Account account = account(Role.SOURCE);
    account.event(0, EventKind.REGISTERED, 0, 4, FROM_3, 7);
    table.setState(3, ChunkState.SENT);
    step(account, UnregisterStep.QUEUED, 4, FROM_3);
    assertThat(table.release(6)).isEqualTo(ChunkRelease.QUEUED);
    step(account, UnregisterStep.ALREADY_QUEUED, 4, FROM_3);
    step(account, UnregisterStep.TURN, 4, FROM_3);
    assertThat(table.release(6)).isEqualTo(ChunkRelease.QUEUED);
    step(account, UnregisterStep.PUT_OFF, 4, FROM_3);
    assertThat(table.release(6)).isEqualTo(ChunkRelease.PUT_OFF);
    assertThat(table.localKey(6)).isEqualTo(7);
    account.event(0, EventKind.DEREGISTERED, 0, 4, FROM_3, 7);
    step(account, UnregisterStep.REQUESTED, 4, FROM_3);
    assertThat(table.release(6)).isEqualTo(ChunkRelease.GIVEN_BACK);
    assertThat(table.localKey(6)).isZero();
    assertThat(table.state(3)).as("it was sent all the same").isEqualTo(ChunkState.SENT);
    assertThat(table.release(2)).isEqualTo(ChunkRelease.NONE);
    assertThat(table.release(7)).isEqualTo(ChunkRelease.NONE);
    account.event(0, EventKind.REGISTERED, 0, 1, FROM_3, 8);
    assertThat(table.release(3)).as("registered again").isEqualTo(ChunkRelease.NONE);
    assertThat(table.release(4)).isEqualTo(ChunkRelease.GIVEN_BACK);
  }

  @Test
  void destination_isShownWhatItWasAskedFor() {
    Account account = account(Role.DESTINATION);
    account.event(0, EventKind.REGISTERED, 0, 2, FROM_3, 7);
    step(account, UnregisterStep.ASKED, 2, FROM_3);
    assertThat(table.release(4)).isEqualTo(ChunkRelease.QUEUED);
    account.event(0, EventKind.DEREGISTERED, 0, 2, FROM_3, 7);
    step(account, UnregisterStep.DEREGISTERED, 2, FROM_3);
    assertThat(table.release(4)).isEqualTo(ChunkRelease.GIVEN_BACK);
    assertThat(table.state(4)).isEqualTo(ChunkState.NOT_REGISTERED);
    assertThat(table.localKey(4)).isZero();
  }

  @Test
  void destination_fillsWithWhatHasArrived() {
    Account account = account(Role.DESTINATION);
    account.event(0, EventKind.REGISTERED, 0, 2, FROM_3, 7);
    account.event(0, EventKind.KEY_GIVEN, 0, 2, FROM_3, 7);
    assertThat(table.state(4)).isEqualTo(ChunkState.REGISTERED);
    account.event(0, EventKind.CONTROL_RECEIVED, ControlType.READY.value(), 0, 0, 1);
    assertThat(table.state(4)).isEqualTo(ChunkState.REGISTERED);
    account.event(0, EventKind.CONTROL_RECEIVED, ControlType.REGISTER_FINISHED.value(), 0, 0, 1);
    assertThat(table.state(3)).isEqualTo(ChunkState.SENT);
    assertThat(table.state(4)).isEqualTo(ChunkState.SENT);
    assertThat(table.state(5)).isEqualTo(ChunkState.NOT_REGISTERED);
    account.event(0, EventKind.KEY_GIVEN, 0, 2, FROM_3, 7);
    assertThat(table.state(4)).as("its registration is the earlier one").isEqualTo(ChunkState.SENT);
    account.event(0, EventKind.DEREGISTERED, 0, 2, FROM_3, 7);
    assertThat(table.state(4)).as("it stays when it is released").isEqualTo(ChunkState.SENT);
  }

  @Test
  void pinnedDestination_hasArrived_whenTheGuestIsHandedOver() {
    Account account = account(Role.DESTINATION);
    account.event(
        0, EventKind.REGISTERED, 0, 8, WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 0), 7);
    account.event(0, EventKind.CONTROL_RECEIVED, ControlType.REGISTER_FINISHED.value(), 0, 0, 1);
    assertThat(table.count(ChunkState.REGISTERED)).as("it has no keys asked for").isEqualTo(8);
    account.event(0, EventKind.CONTROL_RECEIVED, ControlType.SWITCH_OVER.value(), 0, 0, 1);
    assertThat(table.count(ChunkState.SENT)).isEqualTo(8);
  }

  /** A recording may claim anything. */
  @ParameterizedTest
  @CsvSource({"0, 3, 2147483647", "0, 3, -5", "0, 8, 1", "1, 0, 1", "0, 17179869183, 1"})
  void stepsOfWhatIsNotThere_changeNothingElse(int block, long chunk, int chunks) {
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    Account account = account(Role.DESTINATION);
    for (int deaccount : new int[] {-1, 0, 4, 8, 9, 65_535}) {
      account.event(0, EventKind.UNREGISTER, deaccount, chunks, wrid, 0);
      account.event(0, EventKind.DEREGISTERED, deaccount, chunks, wrid, 0);
    }
    for (int i = 0; i < 3; i++) {
      assertThat(table.release(i)).isEqualTo(ChunkRelease.NONE);
    }
    boolean inBlock = block == 0 && chunk == 3 && chunks > 0;
    assertThat(table.release(7)).isEqualTo(inBlock ? ChunkRelease.GIVEN_BACK : ChunkRelease.NONE);
  }
}
