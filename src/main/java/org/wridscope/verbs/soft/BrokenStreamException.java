// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;

/** The peer violated the protocol of the software device. The message has no full stop. */
final class BrokenStreamException extends IOException {
  private static final long serialVersionUID = 1L;

  BrokenStreamException(String message) {
    super(message);
  }

  static BrokenStreamException of(String field, long value, String allowed) {
    return new BrokenStreamException("%s is %d, allowed is %s".formatted(field, value, allowed));
  }
}
