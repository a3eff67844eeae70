// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.io.IOException;

/** A verb failed. The message is a sentence for the user. */
public class VerbsException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  public VerbsException(Errno errno, String message) {
    super(message);
    this.errno = errno;
  }

  public Errno errno() {
    return errno;
  }
}
