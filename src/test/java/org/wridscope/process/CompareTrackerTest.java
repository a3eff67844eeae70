// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;

final class CompareTrackerTest extends WriteTrackerContract {
  @TempDir private Path files;

  @Override
  CompareTracker open(Target target, List<SharedRange> ranges, List<MemorySegment> shared)
      throws IOException {
    return new CompareTracker(shared);
  }

  @Test
  void aLargeRange_isComparedByAllThreads_toTheLastByte() throws IOException {
    long bytes = (9L << 20) + 4096;
    try (NativeMemory memory = NativeMemory.allocate(bytes);
        var tracker = new CompareTracker(List.of(memory.segment()))) {
      memory.segment().set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
      tracker.start();
      memory.segment().set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 2);
      memory.segment().set(ValueLayout.JAVA_BYTE, (4L << 20) - 1, (byte) 3);
      var bitmap = new DirtyBitmap(bytes / 4096);
      tracker.take(List.of(bitmap));
      assertThat(bitmap.count()).isEqualTo(2);
      assertThat(bitmap.get(1023)).isTrue();
      assertThat(bitmap.get(bytes / 4096 - 1)).isTrue();
      assertThat(tracker.copies().getFirst().mismatch(memory.segment())).isEqualTo(-1);
    }
  }

  @Test
  void aFileThatIsTruncated_isAnError_andThisProcessGoesOn() throws IOException {
    Path file = files.resolve("truncated");
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      try (NativeMemory memory = NativeMemory.mapShared(channel, 1 << 20);
          var tracker = new CompareTracker(List.of(memory.segment()))) {
        tracker.start();
        channel.truncate(4096);
        assertThatThrownBy(() -> tracker.take(List.of(new DirtyBitmap(256))))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("truncated");
      }
    }
  }

  @Test
  void memoryOfNoWholePages_isRefused() throws IOException {
    try (NativeMemory memory = NativeMemory.allocate(8192)) {
      assertThatThrownBy(() -> new CompareTracker(List.of(memory.segment().asSlice(0, 5000))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("5000");
    }
  }
}
