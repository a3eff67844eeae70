// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

/**
 * The connection back from the destination's QEMU to the source's, which libvirt asks both of in
 * every migration. Over RDMA, a QEMU before 8.0 connects it only if post-copy is allowed, too.
 * Otherwise the source's QEMU finds no such connection, and closes the migration's a moment after
 * it was established (QEMU's commit a5382214d8, "migration/rdma: Fix return-path case").
 */
public final class ReturnPath {
  private static final long QEMU_8_0 = 8_000_000;

  private ReturnPath() {}

  /**
   * Whether a migration over RDMA needs post-copy to be allowed. Both ends must agree, so the older
   * QEMU decides.
   *
   * @param source version of its QEMU, as {@link VirtHost.Identity#hypervisorVersion} counts
   * @param destination version of its QEMU
   */
  public static boolean needsPostCopy(long source, long destination) {
    return Math.min(source, destination) < QEMU_8_0;
  }
}
