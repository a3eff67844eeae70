// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.wridscope.verbs.rdma.KernelFiles;

/** Checks that rdma-core's user-space libraries and drivers are installed. */
final class LibrariesCheck implements Check {
  private static final Map<String, String> PACKAGES = new LinkedHashMap<>();

  static {
    PACKAGES.put("libibverbs.so.1", "libibverbs1");
    PACKAGES.put("librdmacm.so.1", "librdmacm1");
  }

  private static final String PROVIDERS = "ibverbs-providers";

  private static final String INSTALL =
      "Install these packages, as root; on Fedora and RHEL they are libibverbs and librdmacm.";

  @Override
  public String title() {
    return "libraries";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    List<String> missing =
        PACKAGES.keySet().stream().filter(name -> !machine.hasLibrary(name)).toList();
    if (!missing.isEmpty()) {
      Set<String> packages = new TreeSet<>();
      missing.forEach(name -> packages.add(PACKAGES.getOrDefault(name, "rdma-core")));
      packages.add(PROVIDERS);
      return CheckResult.failure(
          this,
          "%s missing."
              .formatted(String.join(" and ", missing) + (missing.size() > 1 ? " are" : " is")),
          INSTALL,
          "apt-get install " + String.join(" ", packages));
    }
    // libibverbs finds its drivers here (see its README); without drivers it lists no devices.
    if (KernelFiles.list(machine.root().resolve("etc/libibverbs.d")).isEmpty()) {
      return CheckResult.failure(
          this,
          "libibverbs is installed, but no drivers for RDMA devices are.",
          INSTALL,
          "apt-get install " + PROVIDERS);
    }
    return CheckResult.ok(this, "libibverbs, librdmacm and device drivers are installed.");
  }
}
