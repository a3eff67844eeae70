// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.MemorySegment;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.CountedProtectionDomain;

/** A protection domain of the software device. */
final class SoftProtectionDomain extends CountedProtectionDomain {
  private final SoftDevice device;

  SoftProtectionDomain(SoftDevice device) {
    super(device.life());
    this.device = device;
  }

  SoftDevice device() {
    return device;
  }

  @Override
  protected MemoryRegion register(MemorySegment memory, int access) throws VerbsException {
    if (device.keys().alive() >= device.capabilities().maxMemoryRegions()) {
      throw new VerbsException(
          Errno.ENOMEM,
          "the device has reached its limit of %d memory regions (max_mr)"
              .formatted(device.capabilities().maxMemoryRegions()));
    }
    return device.keys().register(this, memory, access);
  }

  @Override
  protected void deallocate() {
    device.remove(SoftResource.PROTECTION_DOMAIN);
  }
}
