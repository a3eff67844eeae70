// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.IOException;
import org.wridscope.text.Format;

/** What was packed is longer than is unpacked; the message is a clause. */
public final class UnpackedTooLongException extends IOException {
  private static final long serialVersionUID = 1L;

  UnpackedTooLongException(long most) {
    super(
        "it unpacks to more than %s; unpack it with gunzip, and name the result"
            .formatted(Format.bytes(most)));
  }
}
