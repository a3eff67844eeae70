// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whether this user may use the device files. */
final class PermissionsCheck implements Check {

  @Override
  public String title() {
    return "permissions";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    Path directory = machine.root().resolve("dev/infiniband");
    if (!Files.isDirectory(directory)) {
      return Finding.note(this, "There are no RDMA device files yet (/dev/infiniband).");
    }
    List<String> refused = new ArrayList<>();
    for (String name : Sysfs.list(directory)) {
      boolean needed = name.equals("rdma_cm") || name.startsWith("uverbs");
      if (needed && !machine.mayReadAndWrite(directory.resolve(name))) {
        refused.add("/dev/infiniband/" + name);
      }
    }
    return refused.isEmpty()
        ? Finding.ok(this, "This user may use the RDMA device files.")
        : Finding.failure(
            this,
            "This user may not read and write %s.".formatted(String.join(", ", refused)),
            "Allow it until the next start of the machine, as root; for good, with a rule below"
                + " /etc/udev/rules.d.",
            "chmod a+rw " + String.join(" ", refused));
  }
}
