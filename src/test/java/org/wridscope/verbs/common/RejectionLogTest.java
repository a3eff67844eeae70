// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** However many strangers connect, the log has a line per minute. */
final class RejectionLogTest {
  private final List<String> lines = new ArrayList<>();
  private long now = Long.MAX_VALUE - 5;
  private final RejectionLog rejections = new RejectionLog(() -> now, lines::add);

  @Test
  void theFirst_isLoggedAtOnce() {
    rejections.add("no migration");
    assertThat(lines).containsExactly("rejected a connection: no migration");
    rejections.close();
    assertThat(lines).hasSize(1);
  }

  @Test
  void thousands_areOneLinePerMinute_withTheirNumber() {
    for (int i = 0; i < 5000; i++) {
      rejections.add("stranger " + i);
      now += RejectionLog.INTERVAL_NANOS / 2000;
    }
    assertThat(lines)
        .containsExactly(
            "rejected a connection: stranger 0",
            "rejected 2,000 connections, the last one: stranger 2000",
            "rejected 2,000 connections, the last one: stranger 4000");
  }

  @Test
  void theEnd_logsTheRest() {
    for (int i = 0; i < 3; i++) {
      rejections.add("stranger " + i);
    }
    rejections.close();
    assertThat(lines)
        .containsExactly(
            "rejected a connection: stranger 0",
            "rejected 2 connections, the last one: stranger 2");
  }
}
