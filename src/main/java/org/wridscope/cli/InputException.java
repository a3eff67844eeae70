// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

/** What the user gave cannot be worked with; the message is one sentence that says what to do. */
final class InputException extends Exception {
  InputException(String message) {
    super(message);
  }
}
