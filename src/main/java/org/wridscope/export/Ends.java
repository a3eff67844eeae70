// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.recording.RecordedSession;

/** The ends of a migration to be exported; at least one is present. */
public record Ends(@Nullable Session source, @Nullable Session destination) {

  public Ends {
    if (source == null && destination == null) {
      throw new IllegalArgumentException("a migration needs a source or a destination");
    }
  }

  /** One or two sessions, the source first. */
  public List<Session> sessions() {
    return Stream.of(source, destination).filter(Objects::nonNull).toList();
  }

  /** The source if it is present, otherwise the destination. */
  Session leading() {
    return source != null ? source : Objects.requireNonNull(destination);
  }

  /** The same ends, with recorded sessions replaced by copies that are positioned at their ends. */
  Ends atTheirEnds() throws IOException {
    return new Ends(atItsEnd(source), atItsEnd(destination));
  }

  private static @Nullable Session atItsEnd(@Nullable Session session) throws IOException {
    return session instanceof RecordedSession recorded ? recorded.copy() : session;
  }
}
