// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkState;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;

/**
 * The names to which the numbers in a recording refer. Each session has its own dictionary, so that
 * a recording of another Wridscope can be read as far as the names are known.
 */
final class Dictionary {
  static final int MAX_NAMES = 512;
  private static final int MAX_NAME = 64;
  private static final int MAX_KINDS = EventPrediction.TAGS / 2;

  private final @Nullable EventKind[] kinds;
  private final @Nullable Metric[] metrics;
  private final @Nullable ControlType[] messages;
  private final @Nullable MigrationStatus[] statuses;
  private final @Nullable ChunkState[] states;
  private final ConnectionEvent.@Nullable Type[] connections;
  private final @Nullable AsyncEventType[] asyncs;
  private final Wait.@Nullable Kind[] waits;
  private final Phase.@Nullable Kind[] phases;

  /** The numbers of this version. */
  Dictionary() {
    kinds = EventKind.values();
    metrics = Metric.values();
    messages = ControlType.values();
    statuses = MigrationStatus.values();
    states = ChunkState.values();
    connections = ConnectionEvent.Type.values();
    asyncs = AsyncEventType.values();
    waits = Wait.Kind.values();
    phases = Phase.Kind.values();
  }

  Dictionary(ByteSource source) throws RecordingException {
    kinds = known(source, MAX_KINDS, "event kinds", EventKind.values()).toArray(EventKind[]::new);
    metrics = known(source, MAX_NAMES, "metrics", Metric.values()).toArray(Metric[]::new);
    messages =
        known(source, MAX_NAMES, "control messages", ControlType.values())
            .toArray(ControlType[]::new);
    statuses =
        known(source, MAX_NAMES, "statuses", MigrationStatus.values())
            .toArray(MigrationStatus[]::new);
    states =
        known(source, MAX_NAMES, "chunk states", ChunkState.values()).toArray(ChunkState[]::new);
    connections =
        known(source, MAX_NAMES, "connection events", ConnectionEvent.Type.values())
            .toArray(ConnectionEvent.Type[]::new);
    asyncs =
        known(source, MAX_NAMES, "asynchronous events", AsyncEventType.values())
            .toArray(AsyncEventType[]::new);
    waits = known(source, MAX_NAMES, "waits", Wait.Kind.values()).toArray(Wait.Kind[]::new);
    phases = known(source, MAX_NAMES, "phases", Phase.Kind.values()).toArray(Phase.Kind[]::new);
  }

  private static <E extends Enum<E>> List<@Nullable E> known(
      ByteSource source, int max, String what, E[] ours) throws RecordingException {
    int count = source.atMost(max, "number of " + what);
    var known = new ArrayList<@Nullable E>();
    for (int i = 0; i < count; i++) {
      String name = source.text(MAX_NAME, "name of " + what);
      known.add(Stream.of(ours).filter(e -> e.name().equals(name)).findFirst().orElse(null));
    }
    return known;
  }

  /** Writes the names of this version. */
  static void encode(ByteSink into) {
    List<Enum<?>[]> all =
        List.of(
            EventKind.values(),
            Metric.values(),
            ControlType.values(),
            MigrationStatus.values(),
            ChunkState.values(),
            ConnectionEvent.Type.values(),
            AsyncEventType.values(),
            Wait.Kind.values(),
            Phase.Kind.values());
    for (Enum<?>[] names : all) {
      into.number(names.length);
      for (Enum<?> name : names) {
        into.text(name.name());
      }
    }
  }

  /** Returns null for a number without a name, or with one that this version does not know. */
  private static <E> @Nullable E at(@Nullable E[] names, int number) {
    return number < names.length ? names[number] : null;
  }

  @Nullable EventKind kind(int number) {
    return at(kinds, number);
  }

  /** Converts the detail of an event to this version; unknown ones stay unchanged. */
  int detail(EventKind kind, int detail) {
    return switch (kind) {
      case STATUS -> ours(statuses, detail);
      case CONNECTION -> ours(connections, detail);
      case ASYNC -> ours(asyncs, detail);
      default -> detail;
    };
  }

  private static <E extends Enum<E>> int ours(@Nullable E[] names, int number) {
    E name = at(names, number);
    return name == null ? number : name.ordinal();
  }

  /** The status with this number. */
  MigrationStatus status(int number) throws RecordingException {
    MigrationStatus status = at(statuses, number);
    if (status == null) {
      throw RecordingException.of("status", number, "one of the statuses of the session's block");
    }
    return status;
  }

  /** The kind of waits with this number. */
  Wait.Kind wait(int number) {
    Wait.Kind kind = at(waits, number);
    return kind == null ? Wait.Kind.UNKNOWN : kind;
  }

  /** The kind of phases with this number. */
  Phase.Kind phase(int number) {
    Phase.Kind kind = at(phases, number);
    return kind == null ? Phase.Kind.UNKNOWN : kind;
  }

  ChunkState state(int number) throws RecordingException {
    ChunkState state = at(states, number);
    if (state == null) {
      throw RecordingException.of(
          "chunk state", number, "one of the states of the session's block");
    }
    return state;
  }

  /** Maps each column of the file's samples to that of {@link Sample}, or to -1 if unknown. */
  int[] sampleColumns() {
    int[] columns = new int[metrics.length + 2 * messages.length + Sample.SINGLES];
    int at = 0;
    for (Metric metric : metrics) {
      columns[at++] = metric == null ? -1 : metric.ordinal();
    }
    List<Function<ControlType, Integer>> directions =
        List.of(Sample::sentColumn, Sample::receivedColumn);
    for (Function<ControlType, Integer> direction : directions) {
      for (ControlType message : messages) {
        columns[at++] = message == null ? -1 : direction.apply(message);
      }
    }
    for (int single = 0; single < Sample.SINGLES; single++) {
      columns[at++] = Sample.FIRST_SINGLE + single;
    }
    return columns;
  }
}
