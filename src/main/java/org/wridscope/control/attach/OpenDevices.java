// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import org.wridscope.files.Folder;
import org.wridscope.verbs.DeviceCounter;
import org.wridscope.verbs.rdma.KernelFiles;

/** The RDMA devices that a process has open: each context of the verbs is a file of the kernel. */
final class OpenDevices {
  /** More open files are not looked at. */
  private static final int MAX_FILES = 1 << 13;

  private static final Path NODES = Path.of("/dev/infiniband");
  private static final String VERBS = "uverbs";

  private final Path root;

  /**
   * @param root of the file system that has /proc and /sys
   */
  OpenDevices(Path root) {
    this.root = root;
  }

  /** Their names, as far as they are known; none of a process that has ended. */
  SortedSet<String> of(long pid) {
    var nodes = new TreeSet<String>();
    try {
      Folder.entries(root.resolve("proc/%d/fd".formatted(pid))).stream()
          .limit(MAX_FILES)
          .forEach(file -> addNode(file, nodes));
    } catch (IOException e) {
      // It has ended meanwhile.
    }
    var devices = new TreeSet<String>();
    for (String node : nodes) {
      KernelFiles.read(root.resolve("sys/class/infiniband_verbs").resolve(node).resolve("ibdev"))
          .filter(DeviceCounter::isName)
          .ifPresent(devices::add);
    }
    return devices;
  }

  private static void addNode(Path file, SortedSet<String> nodes) {
    try {
      Path target = Files.readSymbolicLink(file);
      String name = String.valueOf(target.getFileName());
      if (NODES.equals(target.getParent()) && name.matches(VERBS + "[0-9]{1,9}")) {
        nodes.add(name);
      }
    } catch (IOException e) {
      // It was closed.
    }
  }
}
