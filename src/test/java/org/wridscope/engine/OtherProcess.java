// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.wridscope.ChildJvm;
import org.wridscope.account.Account;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftNetwork;

/** One end of a migration in a separate process. */
record OtherProcess(Process process, BufferedReader output) implements AutoCloseable {
  static final long RAM = 32L << 20;

  /** Limit with which the migration is long enough to be killed in the middle. */
  private static final long SLOW = 8L << 20;

  static OtherProcess start(String role, int port) throws IOException {
    List<String> command = ChildJvm.command(OtherProcess.class, "-Xmx64m");
    command.addAll(List.of(role, Integer.toString(port)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new OtherProcess(
        process,
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
  }

  /** The next line of its output, or null at the end. */
  String line() throws IOException {
    String line = output.readLine();
    return line == null ? "" : line;
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  static MigrationParameters slow() {
    return new MigrationParameters(
        Settings.USUAL
            .with(MigrationSetting.TIMEOUT, Duration.ofMinutes(1))
            .with(MigrationSetting.BANDWIDTH, SLOW)
            .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(1)));
  }

  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[1]);
    try (var guest = BlockGuest.of(RAM);
        SoftDevice device = SoftNetwork.open("other")) {
      if (arguments[0].equals("destination")) {
        try (ConnectionListener listener = device.listen(at(port), 5)) {
          System.out.println(listener.localAddress().getPort());
          var session =
              new DestinationSession(
                  device,
                  listener,
                  guest,
                  slow(),
                  new SessionTelemetry(Role.DESTINATION, false, Account::new),
                  null);
          session.run();
          System.out.println(session.outcome());
          System.out.println(guest.isRunning());
        }
      } else {
        var session =
            new SourceSession(
                device,
                at(port),
                guest.boot(1, 0),
                slow(),
                new SessionTelemetry(Role.SOURCE, false, Account::new));
        session.run();
        System.out.println(session.outcome());
        System.out.println(guest.isRunning());
      }
    }
  }

  static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}
