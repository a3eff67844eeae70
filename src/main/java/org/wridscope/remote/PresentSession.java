// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.wridscope.control.Session;

/**
 * The session that is meant by commands and events of QEMU, which has one migration at a time: the
 * last one that was started here. Of a migration with both ends in this process, it is the source.
 */
final class PresentSession {
  private final Supplier<List<Session>> sessions;

  /**
   * @param sessions in the order of starting; of a lab, the destination first
   */
  PresentSession(Supplier<List<Session>> sessions) {
    this.sessions = sessions;
  }

  /** Empty if nothing was started yet. */
  Optional<Session> now() {
    return sessions.get().reversed().stream().filter(Session::migrates).findFirst();
  }

  /** This one after all that were started before it. */
  List<Session> all() {
    return sessions.get().stream().filter(Session::migrates).toList();
  }
}
