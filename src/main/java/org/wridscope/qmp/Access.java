// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Which users of this machine may open a server's socket. */
public enum Access {
  /** The user who runs this process, and root. */
  OWNER("rw-------"),
  /** Also the group of the socket's file. */
  GROUP("rw-rw----"),
  /** Everybody on this machine. */
  USERS("rw-rw-rw-");

  private final String permissions;

  Access(String permissions) {
    this.permissions = permissions;
  }

  Set<PosixFilePermission> permissions() {
    return PosixFilePermissions.fromString(permissions);
  }
}
