// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.control.Session;
import org.wridscope.telemetry.Wait;

/** The message about a session that can no longer be cancelled and has not ended. */
final class Unfinished {
  private Unfinished() {}

  static String sentence(Session session) {
    Wait what = session.telemetry().waitingFor();
    return "%s can no longer be cancelled, because the source has given the guest up, or may have. It continues until the guest is safe%s."
        .formatted(session.name(), what == null ? "" : "; it waits for " + what.text());
  }
}
