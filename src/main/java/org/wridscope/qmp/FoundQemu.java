// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.util.List;
import java.util.OptionalLong;

/**
 * A QEMU of this machine that accepts QMP.
 *
 * @param pid of its process; empty if that belongs to another user, or cannot be told
 * @param name of its guest, or of its socket; legible; may be empty
 * @param addresses where it accepts QMP; another program may be connected there already
 */
public record FoundQemu(OptionalLong pid, String name, List<QmpAddress> addresses) {
  public FoundQemu {
    addresses = List.copyOf(addresses);
  }
}
