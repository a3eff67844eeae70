// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The devices that a process has open are those of its files of the verbs. */
final class OpenDevicesTest {
  @TempDir private Path root;

  private void open(int file, String target) throws IOException {
    Path directory = Files.createDirectories(root.resolve("proc/7/fd"));
    Files.createSymbolicLink(directory.resolve(Integer.toString(file)), Path.of(target));
  }

  private void device(String node, String name) throws IOException {
    Path directory = Files.createDirectories(root.resolve("sys/class/infiniband_verbs/" + node));
    Files.writeString(directory.resolve("ibdev"), name + "\n");
  }

  @Test
  void eachDevice_isNamedOnce() throws IOException {
    device("uverbs0", "mlx5_0");
    device("uverbs1", "mlx5_1");
    device("uverbs2", "rxe0");
    device("uverbs4", "../etc");
    open(0, "/dev/null");
    open(3, "/dev/infiniband/uverbs2");
    open(4, "/dev/infiniband/uverbs0");
    open(5, "/dev/infiniband/uverbs0");
    open(6, "/dev/infiniband/uverbs3");
    open(7, "/dev/infiniband/uverbs4");
    open(8, "/tmp/uverbs1");
    open(9, "/dev/infiniband/rdma_cm");
    open(10, "anon_inode:[infinibandevent]");
    Files.createFile(root.resolve("proc/7/fd/11"));
    var devices = new OpenDevices(root);
    assertThat(devices.of(7)).containsExactly("mlx5_0", "rxe0");
    assertThat(devices.of(8)).isEmpty();
  }
}
