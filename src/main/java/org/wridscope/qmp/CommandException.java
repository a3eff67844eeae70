// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

/** A server refuses a command; the message is for the client, one sentence. */
public final class CommandException extends Exception {
  /** QEMU's class of errors that have no class of their own. */
  public static final String GENERIC = "GenericError";

  static final String NOT_FOUND = "CommandNotFound";

  private final String errorClass;

  /** An error of the class {@value #GENERIC}. */
  public CommandException(String description) {
    this(GENERIC, description);
  }

  CommandException(String errorClass, String description) {
    super(description);
    this.errorClass = errorClass;
  }

  String errorClass() {
    return errorClass;
  }
}
