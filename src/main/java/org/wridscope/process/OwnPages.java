// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.process.ProcessMaps.Mapping;

/** A few shared pages of this process, on which a way to find writes is tried out. */
final class OwnPages implements AutoCloseable {
  private static final int PAGES = 8;
  private static final int WRITTEN = 5;
  private static final long MFD_CLOEXEC = 1;

  private final int hostPage;
  private final NativeMemory memory;

  OwnPages() throws IOException {
    this(NativeMemory.hostPage());
  }

  /**
   * @param hostPage size of a page of the kernel, in bytes, a multiple of {@value
   *     RamBlock#PAGE_SIZE}
   */
  OwnPages(int hostPage) throws IOException {
    this.hostPage = hostPage;
    try (Arena arena = Arena.ofConfined();
        Descriptor file =
            Descriptor.of(
                SystemCall.MEMFD_CREATE.call(
                    arena.allocateFrom("wridscope", US_ASCII).address(), MFD_CLOEXEC));
        FileChannel channel =
            FileChannel.open(file.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      memory = NativeMemory.mapShared(channel, file.path(), (long) PAGES * hostPage);
    }
  }

  /** Where they are in this process. */
  SharedRange range() throws IOException {
    long address = memory.segment().address();
    long pid = ProcessHandle.current().pid();
    Mapping mapping =
        ProcessMaps.read(pid)
            .at(address)
            .orElseThrow(() -> new IOException("own memory is in no mapping."));
    return new SharedRange(
        pid, address, memory.segment().byteSize(), 0, mapping.file(), mapping.name());
  }

  /** Whether a tracker of these pages finds a write, once, and in no other page of the kernel. */
  boolean isFoundBy(WriteTracker tracker) throws IOException {
    memory.segment().fill((byte) 1);
    tracker.start();
    return take(tracker).count() == 0 && isWriteFoundBy(tracker) && take(tracker).count() == 0;
  }

  private boolean isWriteFoundBy(WriteTracker tracker) throws IOException {
    memory.segment().set(ValueLayout.JAVA_BYTE, (long) WRITTEN * hostPage, (byte) 2);
    DirtyBitmap found = take(tracker);
    int together = hostPage / RamBlock.PAGE_SIZE;
    long first = (long) WRITTEN * together;
    return found.get(first)
        && found.nextSet(0) == first
        && found.nextSet(first + together) == found.pages();
  }

  private DirtyBitmap take(WriteTracker tracker) throws IOException {
    DirtyBitmap found = new DirtyBitmap(memory.segment().byteSize() / RamBlock.PAGE_SIZE);
    tracker.take(List.of(found));
    return found;
  }

  @Override
  public void close() {
    memory.close();
  }
}
