// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import org.wridscope.verbs.rdma.KernelFiles;

/** Checks that the kernel has RDMA loaded, with the interface for user-space programs. */
final class KernelCheck implements Check {

  @Override
  public String title() {
    return "kernel";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    if (!new Sysfs(machine).hasRdma()) {
      return notLoaded(machine);
    }
    if (!Files.isDirectory(machine.root().resolve("sys/class/infiniband_verbs"))) {
      return CheckResult.failure(
          this,
          "The kernel has RDMA loaded, but not the module ib_uverbs, which programs need to use"
              + " it.",
          "Load the module, as root.",
          "modprobe ib_uverbs");
    }
    return CheckResult.ok(this, "The kernel has RDMA and ib_uverbs loaded.");
  }

  private CheckResult notLoaded(Machine machine) {
    return hasModules(machine) && !hasSoftRoce(machine)
        ? CheckResult.failure(
            this,
            "The kernel has no RDMA loaded, and kernel %s has no rdma_rxe module for soft-RoCE."
                .formatted(release(machine)),
            "For an RDMA adapter, load its driver. For soft-RoCE, install a kernel with rdma_rxe,"
                + " as root: on Debian with this command, on Ubuntu with the package"
                + " linux-modules-extra-$(uname -r).",
            "apt-get install linux-image-$(dpkg --print-architecture)")
        : CheckResult.failure(
            this,
            "The kernel has no RDMA loaded.",
            "Load these modules, and your adapter's driver (for soft-RoCE: rdma_rxe), as root.",
            "modprobe -a ib_uverbs rdma_ucm");
  }

  private static String release(Machine machine) {
    return KernelFiles.read(machine.root().resolve("proc/sys/kernel/osrelease")).orElse("unknown");
  }

  /** False in a container, which cannot see the modules of the host's kernel. */
  private static boolean hasModules(Machine machine) {
    return Files.isRegularFile(modules(machine).resolve("modules.dep"));
  }

  private static boolean hasSoftRoce(Machine machine) {
    return KernelFiles.read(modules(machine).resolve("modules.dep"))
            .orElse("")
            .contains("/rdma_rxe.ko")
        || KernelFiles.read(modules(machine).resolve("modules.builtin"))
            .orElse("")
            .contains("/rdma_rxe.ko");
  }

  private static Path modules(Machine machine) {
    return machine.root().resolve("lib/modules").resolve(release(machine));
  }
}
