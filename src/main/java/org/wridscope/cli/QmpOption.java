// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.qmp.Access;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.remote.RemoteControl;
import picocli.CommandLine.Option;

/** The options that let other programs control this one. */
final class QmpOption {
  static final String NAME = "--qmp";
  private static final String ALLOW = "--qmp-allow";
  private static final String READ_ONLY = "--qmp-read-only";

  @Option(
      names = NAME,
      paramLabel = "ADDRESS",
      description =
          "Accept QEMU's machine protocol at unix:PATH, or at tcp:127.0.0.1:PORT with --qmp-allow"
              + " users (docs/qmp.md). After the end of the migration, answer until a client sends"
              + " quit, or Ctrl-C")
  private @Nullable String address;

  @Option(
      names = ALLOW,
      paramLabel = "owner|group|users",
      description =
          "Which users of this machine may open that socket. Default: owner, only you and root")
  private @Nullable String allow;

  @Option(names = READ_ONLY, description = "Let clients of --qmp ask, but not change anything")
  private boolean readOnly;

  boolean isGiven() {
    return address != null;
  }

  /**
   * Where and for whom; empty if it was not asked for.
   *
   * @throws InputException if an option cannot be used
   */
  Optional<RemoteControl.Settings> settings() throws InputException {
    if (address == null) {
      if (allow != null || readOnly) {
        throw new InputException(
            "%s: it has an effect only with %s; give that, too, or leave it out."
                .formatted(allow != null ? ALLOW : READ_ONLY, NAME));
      }
      return Optional.empty();
    }
    try {
      return Optional.of(new RemoteControl.Settings(QmpAddress.parse(address), access(), readOnly));
    } catch (IllegalArgumentException e) {
      throw new InputException(NAME + ": " + e.getMessage());
    }
  }

  private Access access() throws InputException {
    return switch (allow) {
      case null -> Access.OWNER;
      case "owner" -> Access.OWNER;
      case "group" -> Access.GROUP;
      case "users" -> Access.USERS;
      default ->
          throw new InputException(
              "%s: '%s' is not known; write owner, group or users.".formatted(ALLOW, allow));
    };
  }
}
