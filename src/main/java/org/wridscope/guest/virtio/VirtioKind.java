// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.List;

/** The devices of a guest, in the order in which their state is saved. */
public enum VirtioKind {
  BLOCK(BlockDevice.NAME, BlockDevice.FEATURES, BlockDevice.QUEUES),
  NET(NetDevice.NAME, NetDevice.FEATURES, NetDevice.QUEUES);

  private final String deviceName;
  private final long features;
  private final List<String> queues;

  VirtioKind(String deviceName, long features, List<String> queues) {
    this.deviceName = deviceName;
    this.features = features;
    this.queues = queues;
  }

  /** The name in the specification and in QEMU. */
  public String deviceName() {
    return deviceName;
  }

  long features() {
    return features;
  }

  List<String> queues() {
    return queues;
  }

  VirtioDevice make(GuestMemory memory, VirtioFault fault) {
    return switch (this) {
      case BLOCK -> new BlockDevice(memory, fault);
      case NET -> new NetDevice(memory, fault);
    };
  }
}
