// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;

/** What is said of a session that cannot be cancelled any more and has not ended. */
final class Unfinished {
  private Unfinished() {}

  static String sentence(Session session) {
    @Nullable String what = session.telemetry().waitingFor();
    return "%s cannot be cancelled any more, for the source has given the guest up, or may have. It goes on until the guest is safe%s."
        .formatted(session.name(), what == null ? "" : "; it waits for " + what);
  }
}
