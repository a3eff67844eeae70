// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AsyncEventTypeTest {
  /** {@code enum ibv_event_type} of rdma-core's libibverbs/verbs.h, without the prefix. */
  private static final List<String> IBV_EVENT =
      List.of(
          "CQ_ERR",
          "QP_FATAL",
          "QP_REQ_ERR",
          "QP_ACCESS_ERR",
          "COMM_EST",
          "SQ_DRAINED",
          "PATH_MIG",
          "PATH_MIG_ERR",
          "DEVICE_FATAL",
          "PORT_ACTIVE",
          "PORT_ERR",
          "LID_CHANGE",
          "PKEY_CHANGE",
          "SM_CHANGE",
          "SRQ_ERR",
          "SRQ_LIMIT_REACHED",
          "QP_LAST_WQE_REACHED",
          "CLIENT_REREGISTER",
          "GID_CHANGE",
          "WQ_FATAL",
          "DEVICE_SPEED_CHANGE");

  @Test
  void types_haveTheNamesAndValuesOfRdmaCore() {
    for (int value = 0; value < IBV_EVENT.size(); value++) {
      AsyncEventType type = AsyncEventType.of(value);
      assertThat(type).isNotNull().hasToString(IBV_EVENT.get(value));
      assertThat(AsyncEventType.valueOf(IBV_EVENT.get(value)).value()).isEqualTo(value);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 21, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void of_anUnknownValue_isNull(int value) {
    assertThat(AsyncEventType.of(value)).isNull();
  }

  /** The manual has a row for each, with the same consequence. */
  @ParameterizedTest
  @EnumSource(AsyncEventType.class)
  void manual_saysWhatIsDone(AsyncEventType type) throws IOException {
    assertThat(Files.readAllLines(Path.of("docs/asynchronous-events.md")))
        .filteredOn(line -> line.startsWith("| `" + type.name() + "` | " + type.value() + " |"))
        .singleElement()
        .asString()
        .contains(
            "| " + type.subject().name().toLowerCase(Locale.ROOT).replace('_', ' ') + " |",
            "| " + type.consequence().name().toLowerCase(Locale.ROOT) + " |");
  }
}
