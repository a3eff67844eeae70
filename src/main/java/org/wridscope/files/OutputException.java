// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.IOException;

/** A file cannot be written under its name. The message is one sentence for the user. */
public class OutputException extends IOException {

  OutputException(String message) {
    super(message);
  }

  OutputException(String message, Throwable cause) {
    super(message, cause);
  }
}
