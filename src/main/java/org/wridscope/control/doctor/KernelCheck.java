// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Files;
import java.nio.file.Path;

/** Whether the kernel has RDMA loaded, with the interface that programs use. */
final class KernelCheck implements Check {

  @Override
  public String title() {
    return "kernel";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    if (!new Sysfs(machine).hasRdma()) {
      return notLoaded(machine);
    }
    if (!Files.isDirectory(machine.root().resolve("sys/class/infiniband_verbs"))) {
      return Finding.failure(
          this,
          "The kernel has RDMA, but not the module ib_uverbs, through which programs use it.",
          "Load it, as root.",
          "modprobe ib_uverbs");
    }
    return Finding.ok(this, "The kernel has RDMA and ib_uverbs loaded.");
  }

  private Finding notLoaded(Machine machine) {
    return hasModules(machine) && !hasSoftRoce(machine)
        ? Finding.failure(
            this,
            "The kernel has no RDMA loaded, and %s has no rdma_rxe module for soft-RoCE."
                .formatted(release(machine)),
            "Load the driver of your adapter; for soft-RoCE install a kernel that has rdma_rxe, as"
                + " root on Debian; on Ubuntu it is in linux-modules-extra-$(uname -r).",
            "apt-get install linux-image-amd64")
        : Finding.failure(
            this,
            "The kernel has no RDMA loaded.",
            "Load these modules and your adapter's driver, for soft-RoCE rdma_rxe, as root.",
            "modprobe -a ib_uverbs rdma_ucm");
  }

  private static String release(Machine machine) {
    return Sysfs.read(machine.root().resolve("proc/sys/kernel/osrelease")).orElse("it");
  }

  /** In a container the kernel's modules are the host's, and not to be seen. */
  private static boolean hasModules(Machine machine) {
    return Files.isRegularFile(modules(machine).resolve("modules.dep"));
  }

  private static boolean hasSoftRoce(Machine machine) {
    return Sysfs.read(modules(machine).resolve("modules.dep")).orElse("").contains("/rdma_rxe.ko")
        || Sysfs.read(modules(machine).resolve("modules.builtin"))
            .orElse("")
            .contains("/rdma_rxe.ko");
  }

  private static Path modules(Machine machine) {
    return machine.root().resolve("lib/modules").resolve(release(machine));
  }
}
