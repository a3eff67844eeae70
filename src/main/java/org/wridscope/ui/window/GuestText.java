// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import org.wridscope.control.CapturedFile;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;

/** Where the guest of a migration is, for the status bar. */
final class GuestText {
  private GuestText() {}

  /** A phrase; empty for a program, and if it is not known. */
  static String of(SessionPair pair) {
    if (!pair.leading().migrates()) {
      return "";
    }
    for (Session session : pair.sessions()) {
      if (session.captured().isPresent()) {
        CapturedFile file = session.captured().get();
        return "guest in %s".formatted(file.path());
      }
    }
    if (pair.sessions().stream().noneMatch(Session::tellsGuest)) {
      return "";
    }
    Session source = pair.source();
    if (source != null && source.guestRunning()) {
      return "guest runs at the source";
    }
    Session destination = pair.destination();
    if (destination != null && destination.guestRunning()) {
      return "guest runs at the destination";
    }
    if (source != null && source.guestStopped()) {
      return "guest paused at the source";
    }
    if (destination != null && destination.guestStopped()) {
      return "guest paused at the destination";
    }
    for (Session session : pair.sessions()) {
      if (session.guestFate() != null) {
        return "guest %s".formatted(session.guestFate());
      }
    }
    return source != null && destination != null ? "guest paused" : "guest does not run here";
  }
}
