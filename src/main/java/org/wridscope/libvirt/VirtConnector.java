// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

/** Opens connections. Thread-safe. */
@FunctionalInterface
public interface VirtConnector {
  /** Opens a connection. Waits as long as libvirt does, which may be minutes. */
  VirtHost open(VirtUri uri) throws VirtException;
}
