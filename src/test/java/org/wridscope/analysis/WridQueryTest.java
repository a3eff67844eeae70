// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;

final class WridQueryTest {
  private static final List<ChunkTable> BLOCKS =
      List.of(
          new ChunkTable(0, "pc.ram", 64L << 20, 0),
          new ChunkTable(1, "0000:00:02.0/vga.vram", 16L << 20, 0));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "write block 1 chunk 17",
        " WRITE RDMA block 1   chunk 17",
        "block 1 chunk 17",
        "0000:00:02.0/vga.vram chunk 17",
        "write 0000:00:02.0/vga.vram/17",
        "1/17",
      })
  void parse_decodedWrite_findsBlockAndChunk(String text) {
    assertThat(WridQuery.parse(text, BLOCKS))
        .isEqualTo(new RequestFilter(RequestKind.WRITE, 1, 17, null));
  }

  @Test
  void parse_wrid_isHexDecimalOrDecoded() {
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 3, 17);
    assertThat(WridQuery.parse("0x%x".formatted(wrid), BLOCKS)).isEqualTo(RequestFilter.of(wrid));
    assertThat(WridQuery.parse("0x%X".formatted(wrid).replace("0X", "0x"), BLOCKS))
        .isEqualTo(RequestFilter.of(wrid));
    assertThat(WridQuery.parse("4000", BLOCKS)).isEqualTo(RequestFilter.of(4000));
    assertThat(WridQuery.parse("CONTROL RECV 2", BLOCKS)).isEqualTo(RequestFilter.of(4002));
    assertThat(WridQuery.parse("0xffffffffffffffff", BLOCKS)).isEqualTo(RequestFilter.of(-1));
  }

  @Test
  void parse_partialQuery_leavesTheRestOpen() {
    assertThat(WridQuery.parse("chunk 5", BLOCKS))
        .isEqualTo(new RequestFilter(RequestKind.WRITE, RequestFilter.ANY, 5, null));
    assertThat(WridQuery.parse("pc.ram", BLOCKS))
        .isEqualTo(new RequestFilter(RequestKind.WRITE, 0, RequestFilter.ANY, null));
    assertThat(WridQuery.parse("send", BLOCKS))
        .isEqualTo(new RequestFilter(RequestKind.SEND, RequestFilter.ANY, RequestFilter.ANY, null));
    assertThat(WridQuery.parse("recv", BLOCKS))
        .isEqualTo(
            new RequestFilter(RequestKind.RECEIVE, RequestFilter.ANY, RequestFilter.ANY, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "nonsense", "write block 99999999 chunk 1", "0x", "no/where"})
  void parse_unknownQuery_isNull(String text) {
    assertThat(WridQuery.parse(text, BLOCKS)).isNull();
  }
}
