// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.recording.RecordedSession;

/** The ends of one migration that are to be exported; at least one is there. */
public record Ends(@Nullable Session source, @Nullable Session destination) {

  public Ends {
    if (source == null && destination == null) {
      throw new IllegalArgumentException("a migration needs a source or a destination");
    }
  }

  /** One or two, the source first. */
  public List<Session> sessions() {
    return Stream.of(source, destination).filter(Objects::nonNull).toList();
  }

  /** The source if it is here, otherwise the destination. */
  Session leading() {
    return source != null ? source : Objects.requireNonNull(destination);
  }

  /** The same, with recorded ones at their ends, wherever a window moves its own. */
  Ends atTheirEnds() throws IOException {
    return new Ends(atItsEnd(source), atItsEnd(destination));
  }

  private static @Nullable Session atItsEnd(@Nullable Session session) throws IOException {
    return session instanceof RecordedSession recorded ? recorded.copy() : session;
  }
}
