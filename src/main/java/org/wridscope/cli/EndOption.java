// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.Recording;
import org.wridscope.recording.qemu.UnknownEndException;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Role;
import picocli.CommandLine.Option;

/** {@code --end}, for trace logs of QEMU whose events do not show which end wrote them. */
final class EndOption {
  static final String NAME = "--end";

  @Option(
      names = NAME,
      paramLabel = "END",
      description =
          "source or destination: which end wrote the trace log, if its events do not show it; the"
              + " first log, if there are two")
  private @Nullable String end;

  /** An end, by its name; null when none is named. */
  static @Nullable Role parse(@Nullable String end) throws InputException {
    if (end == null) {
      return null;
    }
    return switch (end.toLowerCase(Locale.ROOT)) {
      case "source" -> Role.SOURCE;
      case "destination" -> Role.DESTINATION;
      default ->
          throw new InputException(
              NAME + ": '%s' is not valid; write source or destination.".formatted(end));
    };
  }

  /** The end that was named; null for none. */
  @Nullable Role role() throws InputException {
    return parse(end);
  }

  /** Refuses the option, with the reason. */
  void refuse(String because) throws InputException {
    if (end != null) {
      throw new InputException("%s: leave it out; %s.".formatted(NAME, because));
    }
  }

  /** Opens files, the first of which may need this option. */
  List<Recording> open(List<Path> files) throws InputException, IOException {
    Role role = parse(end);
    List<Recording> recordings = open(files, role);
    if (role != null) {
      List<RecordedSession> sessions = recordings.getFirst().sessions();
      if (sessions.stream().anyMatch(session -> session.role() != role)) {
        for (Recording each : recordings) {
          each.close();
        }
        throw new InputException(
            NAME
                + ": %s says itself that it is of the %s."
                    .formatted(
                        files.getFirst(),
                        sessions.size() > 1
                            ? "source and of the destination"
                            : sessions.getFirst().role().text()));
      }
    }
    return recordings;
  }

  /** Opens files with what the user said about the first one. */
  static List<Recording> open(List<Path> files, @Nullable Role first)
      throws InputException, IOException {
    try {
      return InputException.checked(() ->
          Recording.openAll(
              RecordingParameter.NAME,
              files,
              first == null ? Map.of() : Map.of(files.getFirst(), first),
              null));
    } catch (UnknownEndException e) {
      throw new InputException(
          "%s Name it with %s source or %s destination; \"wridscope explain %s\" explains its lines without that."
              .formatted(e.getMessage(), NAME, NAME, e.file()));
    }
  }
}
