// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import javafx.application.Platform;
import org.wridscope.cli.WridscopeCommand;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.SessionManager;
import org.wridscope.control.guard.GuardMain;
import org.wridscope.control.qemu.QemuLab;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.ui.window.WindowLauncher;

/**
 * Does what users do first: a migration in the terminal, one in the window, and where there is a
 * QEMU one of its guest. The virtual machine writes down meanwhile which classes and methods that
 * takes, so that later starts are faster: {@code packaging/aot-cache} calls it, and so do the
 * tests, for the JVMs that they start.
 */
public final class Rehearsal {
  private static final String[] MIGRATION = {"lab", "--ram", "256MiB", "--timeout", "60s"};

  private static final String[] QEMU = {"lab", "qemu", "--ram", "16MiB", "--timeout", "60s"};

  private static final long GUEST = 256L << 20;
  private static final long DIRTY_RATE = 50L << 20;
  private static final long BANDWIDTH = 64L << 20;
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private Rehearsal() {}

  /**
   * Rehearses.
   *
   * @param args none
   */
  public static void main(String[] args) {
    if (QemuLab.program(System.getenv().getOrDefault("PATH", "")).isPresent()) {
      // Where it fails, as where RAM cannot be shared, what came before that is known.
      int _ = inTerminal(QEMU);
      rehearseGuard();
    }
    int status = inTerminal(MIGRATION);
    if (status != 0) {
      System.exit(status);
    }
    SessionManager manager = sessions();
    Thread.ofPlatform().name("rehearsal").start(() -> migrateAndLeave(manager));
    try {
      WindowLauncher.launch(manager, List.of());
    } catch (RuntimeException e) {
      // A server without fonts: what the terminal needs is known.
      System.err.println("wridscope: the window could not be rehearsed: " + e);
    }
    manager.close();
    System.exit(0);
  }

  private static int inTerminal(String[] command) {
    return WridscopeCommand.run(
        command,
        Rehearsal::sessions,
        (_, _) -> {
          throw new IllegalStateException("a migration in the terminal needs no window");
        });
  }

  /** Guards are other processes, which use the same cache. */
  private static void rehearseGuard() {
    try {
      GuardMain.rehearse();
    } catch (IOException e) {
      System.err.println("wridscope: " + e.getMessage());
    }
  }

  private static SessionManager sessions() {
    return new LocalSessions();
  }

  /** Migrates while the window shows it, slowly enough to be seen, and closes the window. */
  private static void migrateAndLeave(SessionManager manager) {
    try {
      GuestSettings guest = new GuestSettings.Synthetic(GUEST, DIRTY_RATE, 0, 0.4, 1);
      var settings =
          new MigrationSettings(guest)
              .with(MigrationSetting.BANDWIDTH, BANDWIDTH)
              .with(MigrationSetting.TIMEOUT, Duration.ofMinutes(1));
      Lab lab = manager.startLab(new LabSettings(settings));
      boolean _ = lab.source().await(LIMIT);
      boolean _ = lab.destination().await(LIMIT);
    } catch (IOException e) {
      System.err.println("wridscope: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Platform.exit();
    }
  }
}
