// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.util.UUID;
import org.libvirt.Connect;
import org.libvirt.LibvirtException;
import org.libvirt.jna.ConnectionPointer;
import org.libvirt.jna.DomainPointer;
import org.libvirt.jna.Libvirt;

/**
 * A connection with the one call that libvirt's Java binding lacks (0.5.4), {@code
 * virDomainMigrateSetMaxSpeed}.
 */
final class OpenConnect extends Connect {
  private static final long MIB = 1L << 20;

  /** What libvirt takes for no limit: the most MiB/s that QEMU can count in bytes. */
  private static final long UNLIMITED = Long.MAX_VALUE >> 20;

  /** The function that is missing. */
  private interface Missing extends Library {
    Missing INSTANCE = Native.load("virt", Missing.class);

    int virDomainMigrateSetMaxSpeed(DomainPointer domain, NativeLong bandwidth, int flags);
  }

  OpenConnect(String uri) throws LibvirtException {
    super(uri);
  }

  /** Limits the bandwidth of migrations; false if libvirt refuses. */
  boolean setBandwidthLimit(UUID domain, long bytesPerSecond) {
    ConnectionPointer connection = vcp;
    DomainPointer found =
        Libvirt.INSTANCE.virDomainLookupByUUIDString(connection, domain.toString());
    if (found == null) {
      return false;
    }
    try {
      long limit = bytesPerSecond == 0 ? UNLIMITED : Math.ceilDiv(bytesPerSecond, MIB);
      return Missing.INSTANCE.virDomainMigrateSetMaxSpeed(found, new NativeLong(limit), 0) == 0;
    } finally {
      Libvirt.INSTANCE.virDomainFree(found);
    }
  }
}
