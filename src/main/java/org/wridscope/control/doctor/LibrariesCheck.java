// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Whether rdma-core's user space is installed. */
final class LibrariesCheck implements Check {
  private static final Map<String, String> PACKAGES = new LinkedHashMap<>();

  static {
    PACKAGES.put("libibverbs.so.1", "libibverbs1");
    PACKAGES.put("librdmacm.so.1", "librdmacm1");
  }

  private static final String PROVIDERS = "ibverbs-providers";

  private static final String INSTALL =
      "Install them, as root; on Fedora and RHEL the packages are libibverbs and librdmacm.";

  @Override
  public String title() {
    return "libraries";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    List<String> missing =
        PACKAGES.keySet().stream().filter(name -> !machine.hasLibrary(name)).toList();
    if (!missing.isEmpty()) {
      Set<String> packages = new TreeSet<>();
      missing.forEach(name -> packages.add(PACKAGES.getOrDefault(name, "rdma-core")));
      packages.add(PROVIDERS);
      return Finding.failure(
          this,
          "%s missing."
              .formatted(String.join(" and ", missing) + (missing.size() > 1 ? " are" : " is")),
          INSTALL,
          "apt-get install " + String.join(" ", packages));
    }
    // Where libibverbs finds its drivers, see its README; without them no device is ever listed.
    if (Sysfs.list(machine.root().resolve("etc/libibverbs.d")).isEmpty()) {
      return Finding.failure(
          this,
          "libibverbs is there, but none of the drivers that it needs for the devices.",
          INSTALL,
          "apt-get install " + PROVIDERS);
    }
    return Finding.ok(this, "libibverbs, librdmacm and drivers for devices are installed.");
  }
}
