// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

/**
 * How a domain is to be migrated live.
 *
 * @param uri where QEMU migrates to, {@code rdma://HOST} or {@code tcp://HOST}; empty to leave it
 *     to libvirt, which uses TCP and the host name of the destination
 * @param pinAll registers all RAM at the beginning; for RDMA only
 * @param connections how many TCP connections send RAM in parallel; 0 for one without QEMU's
 *     multifd
 * @param bandwidthLimit bytes per second, 0 for the hypervisor's own limit; libvirt counts in MiB
 * @param autoConverge slows the guest's processors down until the migration converges
 * @param moveDefinition makes the domain persistent at the destination, and forgets it at the
 *     source, if it is persistent there; otherwise its definition stays at the source, shut off
 * @param unsafe skips libvirt's check that both hosts see the same disks without a cache
 */
public record VirtMigration(
    String uri,
    boolean pinAll,
    int connections,
    long bandwidthLimit,
    boolean autoConverge,
    boolean moveDefinition,
    boolean unsafe) {

  /** The scheme of migrations over RDMA. */
  public static final String RDMA = "rdma://";

  /**
   * @throws IllegalArgumentException with one sentence for the user
   */
  public VirtMigration {
    // QEMU's form, rdma:HOST:PORT, means the same.
    uri = uri.strip().replaceFirst("^(rdma|tcp):(?!//)", "$1://").replaceFirst("/$", "");
    if (!uri.isEmpty() && !uri.matches("(rdma|tcp)://[^\\s/]+")) {
      throw new IllegalArgumentException(
          "Migration URI: write rdma://HOST or tcp://HOST, or leave it empty.");
    }
    if (connections < 0 || connections > 255) {
      throw new IllegalArgumentException("Parallel connections: choose 0 to 255.");
    }
    if (rdma(uri) && connections > 0) {
      throw new IllegalArgumentException(
          "Parallel connections: QEMU has none over RDMA; choose 0, or TCP.");
    }
    if (pinAll && !rdma(uri)) {
      throw new IllegalArgumentException("Pin all RAM: only migrations over RDMA pin RAM.");
    }
  }

  /** Whether a migration URI means RDMA. */
  public static boolean rdma(String uri) {
    return uri.startsWith("rdma:");
  }

  /** The host of the URI, as QEMU is to listen there; empty if it has none. */
  String listenAddress() {
    if (uri.isEmpty()) {
      return "";
    }
    String place = uri.substring(uri.indexOf("//") + 2);
    int colon = place.lastIndexOf(':');
    String host = colon > place.lastIndexOf(']') ? place.substring(0, colon) : place;
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }
}
