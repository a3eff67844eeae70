// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** Fields of events, as columns show them and searches find them. */
final class SearchFieldTest {
  private static final long WRITE_17 = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 17);

  private final Requests requests = new Requests(new SessionTelemetry(Role.SOURCE, true));

  @ParameterizedTest
  @EnumSource(EventKind.class)
  void term_findsItsEvent(EventKind kind) {
    for (int detail : new int[] {0, 1, 5, 300, 65535}) {
      var event = new Event(0, 0, kind, detail, 1, WRITE_17, 4096);
      for (SearchField field : SearchField.values()) {
        String term = field.termOf(event, requests);
        if (!term.isEmpty()) {
          Query query = Objects.requireNonNull(Query.parse(term, List.of()));
          assertThat(query.has(event, requests)).as(term).isTrue();
        }
      }
      assertThat(SearchField.EVENT.termOf(event, requests)).startsWith("event=");
      assertThat(SearchField.END.valueOf(event, requests)).isEqualTo("source");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = EventKind.class,
      names = {"POST_WRITE", "COMPLETION_SEND_QUEUE"})
  void wridAndChunk_areThoseOfTheEvent(EventKind kind) {
    var event = new Event(0, 0, kind, 0, 1, WRITE_17, 4096);
    assertThat(SearchField.WRID.valueOf(event, requests))
        .isEqualTo("0x" + Long.toHexString(WRITE_17));
    assertThat(SearchField.CHUNK.termOf(event, requests)).isEqualTo("chunk=17");
  }
}
