// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;

/** QEMU refused a command or does not answer. */
public final class QmpException extends IOException {

  QmpException(String message) {
    super(message);
  }
}
