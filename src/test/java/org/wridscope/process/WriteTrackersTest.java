// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.Slow;
import org.wridscope.process.ProcessMaps.FileId;
import org.wridscope.process.WriteTrackers.Kind;

@Slow("it tracks processes of their own")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
final class WriteTrackersTest {
  @TempDir private Path directory;

  private Path file() throws IOException {
    Path file = directory.resolve("ram");
    try (var content = new RandomAccessFile(file.toFile(), "rw")) {
      content.setLength(1 << 20);
    }
    return file;
  }

  private static List<SharedRange> ranges(Target target, Path file) throws IOException {
    return ProcessMaps.read(target.pid()).sharedOf(file);
  }

  @Test
  void obstacle_isASentence_andNothingIsChanged() throws IOException {
    Path file = file();
    try (Target target = Target.mapping(file)) {
      Set<String> before = target.descriptors();
      for (Kind kind : Kind.values()) {
        Optional<String> obstacle = WriteTrackers.obstacle(kind, ranges(target, file));
        obstacle.ifPresent(text -> assertThat(text).matches("[^\\n]{20,}\\."));
        assertThat(kind != Kind.COMPARE || obstacle.isEmpty()).isTrue();
      }
      assertThat(target.descriptors()).isEqualTo(before);
      assertThat(target.isTraced()).isFalse();
      assertThat(target.hasUserfault()).isFalse();
    }
  }

  @Test
  void userfaultfd_isPossible_whereTheKernelIsNewEnough() throws IOException {
    Path file = file();
    try (Target target = Target.mapping(file)) {
      assertUserfaultfdIsPossible_whereTheKernelIsNewEnough(ranges(target, file));
    }
  }

  private static void assertUserfaultfdIsPossible_whereTheKernelIsNewEnough(
      List<SharedRange> ranges) {
    Optional<String> obstacle = WriteTrackers.obstacle(Kind.USERFAULTFD, ranges);
    if (Machine.hasUserfaultfd()) {
      assertThat(obstacle).isEmpty();
    } else {
      assertThat(obstacle.orElseThrow()).contains("6.7 or later");
    }
  }

  @Test
  @Tag("kernel")
  void softDirtyBits_arePossible_inTheVm() throws IOException {
    Path file = file();
    try (Target target = Target.mapping(file)) {
      List<SharedRange> ranges = ranges(target, file);
      // Kernels for aarch64 have none.
      assertThat(WriteTrackers.obstacle(Kind.SOFT_DIRTY, ranges).isEmpty())
          .isEqualTo(SystemCall.X86_64);
      assertUserfaultfdIsPossible_whereTheKernelIsNewEnough(ranges);
    }
  }

  @Test
  void processThatIsTraced_isRefused_withTheTracer() throws Exception {
    Path file = file();
    try (Target target = Target.mapping(file)) {
      List<SharedRange> ranges = ranges(target, file);
      CompletableFuture<Optional<String>> probed = new CompletableFuture<>();
      Thread.ofPlatform()
          .start(() -> {
            try {
              long seize = 0x4206;
              var _ = SystemCall.PTRACE.call(seize, target.pid());
              probed.complete(WriteTrackers.obstacle(Kind.USERFAULTFD, ranges));
            } catch (Throwable e) {
              probed.completeExceptionally(e);
            }
          });
      String obstacle = probed.get(60, TimeUnit.SECONDS).orElseThrow();
      if (Machine.hasUserfaultfd()) {
        assertThat(obstacle)
            .isEqualTo(
                "process %d is traced by process %d, a debugger or strace; end that first.",
                target.pid(), ProcessHandle.current().pid());
      }
      assertThat(target.execute("fill 1")).isEqualTo("ok");
    }
  }

  @Test
  void processThatHasEnded_isRefused() throws IOException {
    Path file = file();
    List<SharedRange> ranges;
    try (Target target = Target.mapping(file)) {
      ranges = ranges(target, file);
    }
    assertThat(WriteTrackers.obstacle(Kind.USERFAULTFD, ranges)).isPresent();
    assertThat(WriteTrackers.obstacle(Kind.SOFT_DIRTY, ranges)).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "tmpfs, 0, true",
    "tmpfs, 1, false",
    "hugetlbfs, 1, true",
    "ext4, 0, false",
    "unknown, 0, false"
  })
  void softDirtyBits_areUsedOnlyForMemoryThatTheKernelDoesNotTake(
      String fileSystem, long swaps, boolean possible) {
    assertThat(WriteTrackers.reclaimed("/dev/shm/ram", fileSystem, swaps).isEmpty())
        .isEqualTo(possible);
  }

  @Test
  void userfaultfd_watchesWholePagesOfTheKernel() {
    var file = new FileId(0, 1, 2);
    var range = new SharedRange(4711, 0x10000, 0x5000, 0, file, "/dev/shm/ram");
    assertThat(WriteTrackers.unaligned(List.of(range), 0x1000)).isEmpty();
    assertThat(WriteTrackers.unaligned(List.of(range), 0x4000))
        .contains(
            "/dev/shm/ram of process 4711 begins or ends within a page of the kernel (16.0 KiB), which"
                + " userfaultfd cannot watch.");
  }

  @Test
  void compare_withoutMemoryForACopy_saysHowMuchIsMissing() {
    assertThat(WriteTrackers.compare(4L << 30, 4L << 30)).isEmpty();
    assertThat(WriteTrackers.compare(4L << 30, 1L << 30).orElseThrow())
        .contains("4.00 GiB")
        .contains("1.00 GiB");
  }
}
