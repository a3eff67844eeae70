// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.verbs.rdma.KernelFiles;

/** Checks that this user may open the RDMA device files. */
final class PermissionsCheck implements Check {

  @Override
  public String title() {
    return "permissions";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    Path directory = machine.root().resolve("dev/infiniband");
    if (!Files.isDirectory(directory)) {
      return CheckResult.note(this, "There are no RDMA device files in /dev/infiniband yet.");
    }
    List<String> refused = new ArrayList<>();
    for (String name : KernelFiles.list(directory)) {
      boolean needed = name.equals("rdma_cm") || name.startsWith("uverbs");
      if (needed && !machine.mayReadAndWrite(directory.resolve(name))) {
        refused.add("/dev/infiniband/" + name);
      }
    }
    return refused.isEmpty()
        ? CheckResult.ok(this, "This user may use the RDMA device files.")
        : CheckResult.failure(
            this,
            "This user may not read and write %s.".formatted(String.join(", ", refused)),
            "Allow it until the next reboot, as root; to allow it permanently, add a rule in"
                + " /etc/udev/rules.d.",
            "chmod a+rw " + String.join(" ", refused));
  }
}
