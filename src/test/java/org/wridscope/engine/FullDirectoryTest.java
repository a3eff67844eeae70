// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Wait;

/** A capture whose file system has no room for one more name when the guest is complete. */
@Slow("the program is a process of its own")
final class FullDirectoryTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir Path folder;
  private Path disk;

  @BeforeEach
  void mount() throws Exception {
    disk = Files.createDirectory(folder.resolve("disk"));
    // tmpfs counts every name, so that the number of names can be limited (tmpfs(5)).
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=256m,nr_inodes=8", "none", disk.toString()) == 0,
        "only root can mount a small file system");
  }

  @AfterEach
  void unmount() throws Exception {
    assertThat(run("umount", disk.toString())).isZero();
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /** Creates empty files until there is no room for another one. Returns the last one. */
  private Path fill() throws IOException {
    Path last = disk;
    for (int i = 0; ; i++) {
      Path next = disk.resolve("filler" + i);
      try {
        last = Files.createFile(next);
      } catch (FileSystemException e) {
        assertThat(e.getReason()).isEqualTo("No space left on device");
        return last;
      }
    }
  }

  @Test
  void theCapture_waitsForRoom_andThenGetsItsName() throws Exception {
    Path target = disk.resolve("vm.mig");
    try (var rig = new Rig();
        var guest = CaptureTest.guest();
        var captured = CapturedGuest.create(target)) {
      Path filler = fill();
      var source =
          new ScriptedQemuSource(
              rig, guest, false, CaptureTest.PREFIX, CaptureTest.TAIL, Tamper.NONE);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Thread here = Thread.ofPlatform().start(() -> CaptureTest.runQuietly(source));
      awaitRoom(destination);
      assertThat(target).doesNotExist();
      assertThat(destination.mustFinish()).isTrue();
      Files.delete(filler);
      here.join();
      Rig.join(there, destination);
      assertThat(destination.telemetry().status())
          .as(destination.outcome())
          .isEqualTo(MigrationStatus.COMPLETED);
      CaptureTest.assertHolds(target, guest, CaptureTest.TAIL);
      try (var files = Files.list(disk)) {
        assertThat(files.map(Path::getFileName).map(Path::toString))
            .filteredOn(name -> !name.startsWith("filler"))
            .isEqualTo(List.of("vm.mig"));
      }
    }
  }

  private static void awaitRoom(MigrationSession destination) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    Wait waits = null;
    while (waits == null || !waits.text().endsWith("(No space left on device)")) {
      assertThat(destination.telemetry().status().isEnd()).as(destination.outcome()).isFalse();
      assertThat(System.nanoTime()).as("%s", waits).isLessThan(end);
      Thread.onSpinWait();
      waits = destination.telemetry().waitingFor();
    }
  }
}
