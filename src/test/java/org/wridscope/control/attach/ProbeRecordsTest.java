// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What records mean of which a part could not be read. */
final class ProbeRecordsTest {
  private final List<TraceLine> lines = new ArrayList<>();
  private final ProbeRecords records = new ProbeRecords(lines::add);

  /** A record of which something could not be read. */
  private static MemorySegment unread(ProbeRecord.Kind kind, long a, long b) {
    MemorySegment record = MemorySegment.ofArray(new long[ProbeRecord.DATA / Long.BYTES]);
    record.set(ValueLayout.JAVA_INT_UNALIGNED, ProbeRecord.KIND, kind.ordinal());
    record.set(ValueLayout.JAVA_INT_UNALIGNED, ProbeRecord.UNREAD, 1);
    record.set(ValueLayout.JAVA_LONG_UNALIGNED, ProbeRecord.A, a);
    record.set(ValueLayout.JAVA_LONG_UNALIGNED, ProbeRecord.B, b);
    return record;
  }

  private List<TraceLine> more() {
    return lines.stream().filter(line -> line.kind() == TraceLine.Kind.MORE).toList();
  }

  /** What could not be read is of the request before them. */
  @Test
  void requestsThatAreNotRead_areCounted_alsoIfSomethingElseCouldNotBeRead() {
    records.read(unread(ProbeRecord.Kind.MORE, 8, 0));
    records.read(unread(ProbeRecord.Kind.MORE, 7, 1));

    assertThat(more()).extracting(line -> line.integer(3)).containsExactly(0, 2);
    assertThat(more()).extracting(line -> line.integer(4)).containsExactly(8, 7);
  }

  @Test
  void aRequestThatCouldNotBeRead_isCounted() {
    records.read(unread(ProbeRecord.Kind.POST, 0, 0));
    records.read(unread(ProbeRecord.Kind.RECEIVE, 12, 0));
    records.read(unread(ProbeRecord.Kind.EXTENDED, 2, 0));

    assertThat(more()).extracting(line -> line.integer(3)).containsExactly(0, 2, 0);
    assertThat(more()).extracting(line -> line.integer(4)).containsOnly(1);
  }
}
