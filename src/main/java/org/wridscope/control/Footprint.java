// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.wridscope.files.Folder;
import org.wridscope.memory.NativeMemory;
import org.wridscope.text.Format;
import org.wridscope.verbs.soft.SoftResource;

/**
 * The system resources that this process holds at one moment.
 *
 * @param threads Java threads
 * @param descriptors open file descriptors
 * @param mappings memory mappings, see proc_pid_maps(5)
 * @param resources of software devices: memory regions, queues, connections and so on
 * @param heap bytes of the Java heap that were in use after the last collection
 * @param ownMemory bytes outside the Java heap that this program mapped, resident or not
 * @param directBuffers bytes of direct buffers, including those of the JDK
 * @param nativeMemory resident bytes outside the Java heap
 */
public record Footprint(
    long threads,
    long descriptors,
    long mappings,
    long resources,
    long heap,
    long ownMemory,
    long directBuffers,
    long nativeMemory) {
  /** A thread pool may have grown, and a library may have been opened. */
  private static final long FEW = 4;

  /** Mappings of the C library and the JVM: arenas, stacks, compiled code. */
  private static final long SOME_MAPPINGS = 40;

  /** Each pool thread keeps a buffer for files and sockets. */
  private static final long SOME_BUFFERS = 256L << 10;

  private static final long SOME_HEAP = 16L << 20;

  /**
   * Memory of the JVM: compiled code, and what its compilers keep in the C library's arenas. In
   * 1,000 runs it grew by up to 21 MiB, most of it in the first few hundred. Memory that this
   * program maps is counted separately, without tolerance.
   */
  private static final long SOME_NATIVE = 48L << 20;

  /** The growth that is not counted as a leak, as a phrase. */
  public static final String TOLERANCE =
      "tolerated growth: %d threads, %d descriptors, %d mappings, %d KiB of buffers, %d MiB of heap, %d MiB of native memory, nothing else"
          .formatted(
              FEW, FEW, SOME_MAPPINGS, SOME_BUFFERS >> 10, SOME_HEAP >> 20, SOME_NATIVE >> 20);

  private static final Path PROC = Path.of("/proc/self");
  private static final Pattern MAPPING = Pattern.compile("([0-9a-f]+)-([0-9a-f]+) .*");
  private static final Pattern RESIDENT = Pattern.compile("Rss:\\s+(\\d+) kB");
  private static final Pattern ADDRESS = Pattern.compile("0x([0-9a-f]+)");

  /**
   * Collects garbage, then measures.
   *
   * @throws IOException if the system does not provide these numbers; the message is one sentence
   */
  public static Footprint now() throws IOException {
    // Twice, because memory that a Cleaner frees is gone only after the second collection.
    System.gc();
    System.gc();
    // The C library keeps what the JVM's compilers have freed until it is trimmed.
    diagnostic("systemTrimNativeHeap", new Object[0]);
    long mappings = Files.readAllLines(PROC.resolve("maps"), StandardCharsets.ISO_8859_1).size();
    // Without the descriptor of the listing itself.
    long descriptors = Folder.entries(PROC.resolve("fd")).size() - 1L;
    return new Footprint(
        ManagementFactory.getThreadMXBean().getThreadCount(),
        descriptors,
        mappings,
        Arrays.stream(SoftResource.values()).mapToLong(SoftResource::alive).sum(),
        heapAfterCollection(),
        NativeMemory.mappedBytes(),
        directBytes(),
        outsideHeap());
  }

  /** Without what threads have allocated since the collection. */
  private static long heapAfterCollection() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .map(MemoryPoolMXBean::getCollectionUsage)
        .filter(Objects::nonNull)
        .mapToLong(MemoryUsage::getUsed)
        .sum();
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static long outsideHeap() throws IOException {
    long[] heap = heapRange();
    long bytes = 0;
    boolean inHeap = false;
    for (String line : Files.readAllLines(PROC.resolve("smaps"))) {
      Matcher mapping = MAPPING.matcher(line);
      Matcher resident = RESIDENT.matcher(line);
      if (mapping.matches()) {
        long from = Long.parseUnsignedLong(mapping.group(1), 16);
        inHeap =
            Long.compareUnsigned(from, heap[0]) >= 0 && Long.compareUnsigned(from, heap[1]) < 0;
      } else if (!inHeap && resident.matches()) {
        bytes += Long.parseLong(resident.group(1)) << 10;
      }
    }
    return bytes;
  }

  /** Runs a diagnostic command of the JVM, as jcmd(1) does. */
  private static Object diagnostic(String command, Object[] arguments, String... types)
      throws IOException {
    try {
      return ManagementFactory.getPlatformMBeanServer()
          .invoke(
              new ObjectName("com.sun.management:type=DiagnosticCommand"),
              command,
              arguments,
              types);
    } catch (JMException e) {
      throw new IOException(
          "The JVM refused the diagnostic command %s: %s".formatted(command, e.getMessage()), e);
    }
  }

  /** The lowest and the highest address of the Java heap that the JVM reports. */
  private static long[] heapRange() throws IOException {
    Object info = diagnostic("gcHeapInfo", new Object[] {null}, String[].class.getName());
    long[] range = {-1, 0};
    Matcher addresses = ADDRESS.matcher(info.toString());
    while (addresses.find()) {
      long address = Long.parseUnsignedLong(addresses.group(1), 16);
      range[0] = Long.compareUnsigned(address, range[0]) < 0 ? address : range[0];
      range[1] = Long.compareUnsigned(address, range[1]) > 0 ? address : range[1];
    }
    return range;
  }

  /** Compares with a later footprint; returns a phrase for each growth that is not tolerated. */
  public List<String> grownTo(Footprint later) {
    var grown = new ArrayList<String>();
    compare("threads", threads, later.threads, FEW, grown);
    compare("descriptors", descriptors, later.descriptors, FEW, grown);
    compare("mappings", mappings, later.mappings, SOME_MAPPINGS, grown);
    compare("resources of devices", resources, later.resources, 0, grown);
    compare("bytes of own memory", ownMemory, later.ownMemory, 0, grown);
    compare("bytes of buffers", directBuffers, later.directBuffers, SOME_BUFFERS, grown);
    compare("bytes of heap", heap, later.heap, SOME_HEAP, grown);
    compare("bytes of native memory", nativeMemory, later.nativeMemory, SOME_NATIVE, grown);
    return grown;
  }

  private static void compare(
      String what, long before, long after, long tolerated, List<String> grown) {
    if (after - before > tolerated) {
      grown.add(
          "%s more %s: %s after %s"
              .formatted(
                  Format.count(after - before), what, Format.count(after), Format.count(before)));
    }
  }
}
