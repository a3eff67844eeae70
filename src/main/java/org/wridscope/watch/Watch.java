// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.recording.qemu.LiveImport;
import org.wridscope.telemetry.Role;

/**
 * The watch of a migration from one QEMU to another, or of the end that is on this machine, through
 * QMP or through the log files that somebody else has them write. The migration is whoever's: it is
 * started, steered and ended elsewhere.
 */
public final class Watch {
  private static final AtomicInteger STARTED = new AtomicInteger();

  private final SessionPair sessions;
  private final List<String> introductions;

  private Watch(SessionPair sessions, List<String> introductions) {
    this.sessions = sessions;
    this.introductions = introductions;
  }

  /**
   * Switches the trace logs of one or two QEMUs on, and watches their next migration. Each is a
   * source or a destination, whichever it is now.
   *
   * @throws IOException when that is not possible, with one sentence; nothing is changed then
   */
  public static Watch of(List<QmpAddress> addresses) throws IOException, InterruptedException {
    return of(addresses, ChangedTraces.ofUser());
  }

  static Watch of(List<QmpAddress> addresses, ChangedTraces notes)
      throws IOException, InterruptedException {
    long clockShift = clockShift();
    var watches = new ArrayList<QemuWatch>();
    try {
      for (QmpAddress address : addresses) {
        watches.add(QemuWatch.begin(address, notes, clockShift));
      }
      if (watches.size() == 2 && watches.getFirst().role() == watches.getLast().role()) {
        throw new IOException(
            watches.getFirst().role() == Role.SOURCE
                ? "Neither QEMU waits for a guest; start the destination with -incoming first."
                : "Both QEMUs wait for a guest; name one that has a guest.");
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      for (QemuWatch watch : watches) {
        watch.abandon();
      }
      throw e;
    }
    return start(watches);
  }

  /** What has to be added to nanoseconds since 1970 for {@link System#nanoTime()}. */
  private static long clockShift() {
    return System.nanoTime() - ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
  }

  private static Watch start(List<QemuWatch> watches) {
    String name = nextName();
    Supplier<String> uri =
        uri(
            watches.stream().map(QemuWatch::log).toList(),
            "qmp:" + watches.getFirst().machine().qmp());
    Runnable stop = () -> watches.forEach(QemuWatch::stop);
    var sessions = new EnumMap<Role, Session>(Role.class);
    for (QemuWatch watch : watches) {
      var session =
          new WatchedSession(name + suffix(watch.role()), watch.log(), uri, watch.machine(), stop);
      watch.start(session);
      sessions.put(watch.role(), session);
    }
    return new Watch(pair(sessions), watches.stream().map(QemuWatch::introduction).toList());
  }

  private static String nextName() {
    return "watch " + STARTED.incrementAndGet();
  }

  private static String suffix(Role role) {
    return role == Role.SOURCE ? " source" : " destination";
  }

  /** The URI of the migration as the first log that has it shows it. */
  private static Supplier<String> uri(List<LiveImport> logs, String otherwise) {
    return () ->
        logs.stream().map(LiveImport::uri).filter(Objects::nonNull).findFirst().orElse(otherwise);
  }

  private static SessionPair pair(Map<Role, Session> sessions) {
    return new SessionPair(sessions.get(Role.SOURCE), sessions.get(Role.DESTINATION));
  }

  /**
   * Follows the trace logs of one or both ends of a migration, from their beginnings on, until they
   * are told to stop. Waits until it is known which end writes each.
   *
   * @param places one or two files, or a directory with such files
   * @param first the end that writes the first file, null if its lines are to show that
   * @throws IOException when that is not possible, with one sentence
   */
  public static Watch ofLogs(List<Path> places, @Nullable Role first)
      throws IOException, InterruptedException {
    long clockShift = clockShift();
    try (var search = new LogSearch(places)) {
      Map<Role, LogWatch> watches = search.await(first);
      var logs = new EnumMap<Role, LiveImport>(Role.class);
      try {
        for (Map.Entry<Role, LogWatch> one : watches.entrySet()) {
          logs.put(one.getKey(), one.getValue().begin(one.getKey(), clockShift));
        }
      } catch (IOException e) {
        watches.values().forEach(LogWatch::close);
        throw e;
      }
      return follow(watches, logs);
    }
  }

  /** Follows what a QEMU with a guest writes into its log from now on. */
  static Watch ofSourceFromNow(Path log) throws IOException {
    var watch = new LogWatch(FollowedFile.fromNow(log));
    try {
      return follow(
          Map.of(Role.SOURCE, watch), Map.of(Role.SOURCE, watch.begin(Role.SOURCE, clockShift())));
    } catch (IOException e) {
      watch.close();
      throw e;
    }
  }

  private static Watch follow(Map<Role, LogWatch> watches, Map<Role, LiveImport> logs) {
    String name = nextName();
    Supplier<String> uri =
        uri(List.copyOf(logs.values()), "log:" + watches.values().iterator().next().path());
    Runnable stop = () -> watches.values().forEach(LogWatch::stop);
    var sessions = new EnumMap<Role, Session>(Role.class);
    var introductions = new ArrayList<String>();
    logs.forEach((role, log) -> {
      LogWatch watch = Objects.requireNonNull(watches.get(role));
      var session = new WatchedSession(name + suffix(role), log, uri, null, stop);
      watch.start(log, session);
      sessions.put(role, session);
      introductions.add("following %s, of the%s".formatted(watch.path(), suffix(role)));
    });
    return new Watch(pair(sessions), introductions);
  }

  /** Its sessions, which end with the migration. */
  public SessionPair sessions() {
    return sessions;
  }

  /** What is to be known about each QEMU, a phrase. */
  public List<String> introductions() {
    return introductions;
  }
}
