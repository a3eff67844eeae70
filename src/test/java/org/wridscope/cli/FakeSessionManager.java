// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceListing;
import org.wridscope.control.DeviceListings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.telemetry.Role;

/** Notes what was started, and lets each lab go as the test wants. */
final class FakeSessionManager implements SessionManager {

  /** What happens to a lab that was just started. */
  @FunctionalInterface
  interface Course {
    void run(LabSettings settings, FakeSession source, FakeSession destination) throws IOException;
  }

  /** What happens to a source or a destination that was just started. */
  @FunctionalInterface
  interface LonelyCourse {
    void run(FakeSession session) throws IOException;
  }

  private final Course course;
  private final LonelyCourse lonelyCourse;
  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  private final List<LabSettings> labs = new ArrayList<>();
  private final List<Object> lonely = new ArrayList<>();
  private final List<FakeSession> everStarted = new CopyOnWriteArrayList<>();
  private boolean closed;

  FakeSessionManager(Course course) {
    this.course = course;
    lonelyCourse =
        _ -> {
          throw new UnsupportedOperationException("only labs are expected");
        };
  }

  FakeSessionManager(LonelyCourse course) {
    this.course =
        (_, _, _) -> {
          throw new UnsupportedOperationException("no labs are expected");
        };
    lonelyCourse = course;
  }

  /** The settings of all sources and destinations that were started. */
  List<Object> lonely() {
    return lonely;
  }

  /** The settings of all labs that were started. */
  List<LabSettings> labs() {
    return labs;
  }

  List<FakeSession> everStarted() {
    return everStarted;
  }

  boolean closed() {
    return closed;
  }

  @Override
  public Lab startLab(LabSettings settings) throws IOException {
    labs.add(settings);
    FakeSession source = new FakeSession("lab source", Role.SOURCE);
    FakeSession destination = new FakeSession("lab destination", Role.DESTINATION);
    sessions.add(source);
    sessions.add(destination);
    everStarted.add(source);
    everStarted.add(destination);
    course.run(settings, source, destination);
    return new Lab(source, destination);
  }

  @Override
  public Session startSource(SourceSettings settings) throws IOException {
    lonely.add(settings);
    return start(new FakeSession("source", Role.SOURCE));
  }

  @Override
  public Session startDestination(DestinationSettings settings) throws IOException {
    lonely.add(settings);
    return start(new FakeSession("destination", Role.DESTINATION));
  }

  private Session start(FakeSession session) throws IOException {
    sessions.add(session);
    everStarted.add(session);
    lonelyCourse.run(session);
    return session;
  }

  @Override
  public List<Session> sessions() {
    return List.copyOf(sessions);
  }

  @Override
  public void remove(Session ended) {
    ended.close();
    sessions.remove(ended);
  }

  @Override
  public DeviceListing devices() {
    return DeviceListings.RXE_AND_SOFT;
  }

  @Override
  public void close() {
    sessions.forEach(Session::close);
    sessions.clear();
    closed = true;
  }
}
