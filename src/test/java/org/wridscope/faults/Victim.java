// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.wridscope.cli.WridscopeCommand;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceListing;
import org.wridscope.control.Lab;
import org.wridscope.control.LabFaults;
import org.wridscope.control.LabSettings;
import org.wridscope.control.QemuMigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionsOnDevice;
import org.wridscope.control.SourceSettings;
import org.wridscope.protocol.ControlType;
import org.wridscope.verbs.soft.WireTap;

/**
 * The program, with its command line and signal handling, on a watched device. On lines that begin
 * with {@value #MARK} it reports what it posts, that it has reached the message of its trap, where
 * it waits for a line of input, and how its session ended.
 */
final class Victim {
  static final String MARK = "@";
  static final String POST = MARK + "post ";
  static final String TRAPPED = MARK + "trapped";
  static final String END = MARK + "end ";
  static final String NO_TRAP = "none";

  private Victim() {}

  /** Arguments: the setting, the trap, then those of the program. */
  public static void main(String[] arguments) {
    Setting setting = Setting.valueOf(arguments[0]);
    Trap trap = arguments[1].equals(NO_TRAP) ? Trap.none() : Trap.of(arguments[1], Victim::hold);
    System.exit(
        WridscopeCommand.run(
            Arrays.copyOfRange(arguments, 2, arguments.length),
            () ->
                new Reporting(
                    SessionsOnDevice.open(
                        () -> new WatchedDevice(setting.open(), new Reporter(trap)).device())),
            (_, _) -> {
              throw new IllegalStateException("no window is available here");
            }));
  }

  private static synchronized void report(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static void hold() {
    report(TRAPPED);
    try {
      // The end of the input also lets it continue.
      int _ = System.in.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reports the messages that decide which end has the guest, before they are posted. */
  private record Reporter(Trap trap) implements WatchedDevice.Watcher {
    @Override
    public void before(ControlType type) {
      if (type == ControlType.SWITCH_OVER || type == ControlType.RUNNING) {
        report(POST + type.name());
      }
      trap.before(type);
    }

    @Override
    public void after(ControlType type) {
      trap.after(type);
    }
  }

  /** Reports when it is closed how its sessions ended. */
  private record Reporting(SessionManager manager) implements SessionManager {
    @Override
    public Session startSource(SourceSettings settings) throws IOException {
      return manager.startSource(settings);
    }

    @Override
    public Session startDestination(DestinationSettings settings) throws IOException {
      return Participant.endingWithItsSource(manager.startDestination(settings));
    }

    @Override
    public Session openDestination(DestinationSettings settings) throws IOException {
      return Participant.endingWithItsSource(manager.openDestination(settings));
    }

    @Override
    public Lab startLab(LabSettings settings) throws IOException {
      return manager.startLab(settings);
    }

    @Override
    public Lab startLab(LabSettings settings, LabFaults faults) throws IOException {
      return manager.startLab(settings, faults);
    }

    @Override
    public void tap(WireTap tap) {
      manager.tap(tap);
    }

    @Override
    public List<Session> startQemuMigration(QemuMigrationSettings settings) {
      return manager.startQemuMigration(settings);
    }

    @Override
    public void add(Session session) {
      manager.add(session);
    }

    @Override
    public List<Session> sessions() {
      return manager.sessions();
    }

    @Override
    public void remove(Session ended) {
      manager.remove(ended);
    }

    @Override
    public DeviceListing devices() throws IOException {
      return manager.devices();
    }

    @Override
    public void close() {
      for (Session session : new ArrayList<>(manager.sessions())) {
        try {
          report(END + End.of(session).line());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      manager.close();
    }
  }
}
