// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.qmp.CommandException;

/** The sessions that clients start in a window. */
final class WindowStartTest {
  private static final String URI = "rdma:127.0.0.1:4444";

  private final FakeSessionManager manager = FakeSessionManager.idle();
  private final WindowStart start = new WindowStart(manager);

  @Test
  void migrateIncoming_isRefused_whileAnotherOneIsPrepared() throws Exception {
    start.migrateIncoming(URI);
    manager.everStarted().getFirst().setPreparing(true);
    assertThatThrownBy(() -> start.migrateIncoming("rdma:127.0.0.1:4445"))
        .isInstanceOf(CommandException.class)
        .hasMessage("The incoming migration has already been started");
    manager.everStarted().getFirst().setPreparing(false);
    start.migrateIncoming("rdma:127.0.0.1:4446");
    assertThat(manager.started())
        .extracting(settings -> ((DestinationSettings) settings).uri())
        .containsExactly(URI, "rdma:127.0.0.1:4446");
  }

  @Test
  void whatCannotBegin_isToldAtOnce_andMayBeTriedAgain() throws Exception {
    manager.refuse("The port is in use.");
    assertThatThrownBy(() -> start.migrateIncoming(URI))
        .isInstanceOf(CommandException.class)
        .hasMessage("The port is in use.");
    assertThat(manager.sessions()).isEmpty();
  }
}
