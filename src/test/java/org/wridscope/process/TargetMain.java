// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.NativeMemory;

/**
 * A process whose memory is watched: maps files and writes to them as it is told on its standard
 * input, one line for each command, each answered by a line.
 */
final class TargetMain {
  /** Before the name of a file in memory, which has eight pages. */
  static final String MEMFD = "memfd:";

  /** Of the kernel. */
  private static final int PAGE = NativeMemory.hostPage();

  private static final int MADV_REMOVE = 9;

  @SuppressWarnings("restricted")
  private static final MethodHandle MADVISE =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("madvise"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT));

  private final List<FileChannel> files = new ArrayList<>();
  private final List<NativeMemory> memories = new ArrayList<>();
  private final List<MemorySegment> ranges = new ArrayList<>();
  private @Nullable Storm storm;

  private TargetMain() {}

  /** Writes random bytes to random places, at least one, until it is calmed. */
  private static final class Storm extends Thread {
    private final List<MemorySegment> ranges;
    private final RandomGenerator random;
    private volatile boolean calm;
    private long writes;

    Storm(List<MemorySegment> ranges, long seed) {
      this.ranges = ranges;
      random = RandomGeneratorFactory.getDefault().create(seed);
    }

    @Override
    public void run() {
      do {
        MemorySegment range = ranges.get(random.nextInt(ranges.size()));
        range.set(
            ValueLayout.JAVA_BYTE, random.nextLong(range.byteSize()), (byte) random.nextInt());
        writes++;
      } while (!calm);
    }
  }

  /** Calls madvise(2), which makes a hole in the file. */
  private static boolean giveBack(MemorySegment pages) {
    try {
      return (int) MADVISE.invokeExact(pages, pages.byteSize(), MADV_REMOVE) == 0;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Maps each file that is named. */
  public static void main(String[] arguments) throws Exception {
    TargetMain target = new TargetMain();
    target.map(arguments);
    System.out.println("mapped");
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      System.out.println(target.execute(line.split(" ", -1)));
    }
    System.exit(0);
  }

  /** Maps files instead of those that are mapped. */
  private void map(String... paths) throws IOException {
    memories.forEach(NativeMemory::close);
    memories.clear();
    ranges.clear();
    for (FileChannel file : files) {
      file.close();
    }
    files.clear();
    for (String path : paths) {
      // Kept open, as QEMU does: another process may open it again through this descriptor.
      Path file =
          path.startsWith(MEMFD) ? memoryFile(path.substring(MEMFD.length())) : Path.of(path);
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
      files.add(channel);
      NativeMemory memory = NativeMemory.mapShared(channel, file, channel.size());
      memories.add(memory);
      ranges.add(memory.segment());
    }
  }

  private static Path memoryFile(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      long file = SystemCall.MEMFD_CREATE.call(arena.allocateFrom(name).address(), 0);
      Path path = Path.of("/proc/self/fd/" + file);
      Files.write(path, new byte[8 * PAGE]);
      return path;
    }
  }

  private String execute(String[] words) throws Exception {
    return switch (words[0]) {
      case "map" -> {
        map(Arrays.copyOfRange(words, 1, words.length));
        yield "ok";
      }
      case "write" -> {
        set(Integer.parseInt(words[1]), Long.parseLong(words[2]), Byte.parseByte(words[3]));
        yield "ok";
      }
      case "everySecondPage" -> {
        long pages = ranges.getFirst().byteSize() / PAGE;
        for (long page = 0; page < pages; page += 2) {
          set(0, page, Byte.parseByte(words[1]));
        }
        yield "ok";
      }
      case "fill" -> {
        ranges.forEach(range -> range.fill(Byte.parseByte(words[1])));
        yield "ok";
      }
      case "readFile" -> {
        readFile(ranges.getFirst().asSlice(Long.parseLong(words[1]) * PAGE), Path.of(words[2]));
        yield "ok";
      }
      case "drop" -> {
        // The memory is shared, so that its content stays, but not its page tables.
        memories.getFirst().discard(Long.parseLong(words[1]) * PAGE, PAGE);
        yield "ok";
      }
      case "giveBack" -> {
        // As a QEMU does for its guest's balloon: the file no longer has the page.
        MemorySegment page = ranges.getFirst().asSlice(Long.parseLong(words[1]) * PAGE, PAGE);
        yield giveBack(page) ? "ok" : "failed";
      }
      case "storm" -> {
        storm = new Storm(ranges, Long.parseLong(words[1]));
        storm.start();
        yield "ok";
      }
      case "calm" -> {
        Storm ending = storm;
        if (ending == null) {
          yield "no storm";
        }
        ending.calm = true;
        ending.join();
        yield Long.toString(ending.writes);
      }
      default -> "unknown command " + words[0];
    };
  }

  private void set(int range, long page, byte value) {
    ranges.get(range).set(ValueLayout.JAVA_BYTE, page * PAGE + page % PAGE, value);
  }

  /** Has the kernel write to the memory, which is not a write of the process's own. */
  private static void readFile(MemorySegment into, Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      var buffer = into.asSlice(0, channel.size()).asByteBuffer();
      while (buffer.hasRemaining()) {
        var _ = channel.read(buffer);
      }
    }
  }
}
