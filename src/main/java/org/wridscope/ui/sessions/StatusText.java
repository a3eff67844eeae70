// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import org.kordamp.ikonli.feather.Feather;
import org.wridscope.analysis.Ending;
import org.wridscope.control.Session;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Texts;

/** How a status is shown: a word, an icon and a style class, never only a colour. */
public enum StatusText {
  READY(Texts.of("ready to start"), Feather.PLAY_CIRCLE, "status-idle"),
  WAITING(Texts.of("starting"), Feather.CIRCLE, "status-idle"),
  LISTENING(Texts.of("listening"), Feather.CIRCLE, "status-idle"),
  SETUP(Texts.of("setting up"), Feather.LOADER, "status-active"),
  ACTIVE(Texts.of("migrating"), Feather.ARROW_RIGHT_CIRCLE, "status-active"),
  ATTACHED(Texts.of("attached"), Feather.EYE, "status-active"),
  HELD(Texts.of("waits for you"), Feather.CLOCK, "status-warning"),
  DEVICE(Texts.of("switching over"), Feather.PAUSE_CIRCLE, "status-active"),
  CANCELLING(Texts.of("cancelling"), Feather.MINUS_CIRCLE, "status-warning"),
  FAILING(Texts.of("failing"), Feather.X_CIRCLE, "status-warning"),
  COMPLETED(Texts.of("completed"), Feather.CHECK_CIRCLE, "status-done"),
  DETACHED(Texts.of("ended"), Feather.CHECK_CIRCLE, "status-done"),
  UNSOUND(Ending.UNSOUND, Feather.ALERT_TRIANGLE, "status-warning"),
  FAILED(Texts.of("failed"), Feather.X_CIRCLE, "status-failed"),
  FAILED_AS_EXPECTED(Texts.of("failed, as expected"), Feather.X_CIRCLE, "status-done"),
  CANCELLED(Texts.of("cancelled"), Feather.SLASH, "status-warning"),
  UNDECIDED(Texts.of("undecided"), Feather.ALERT_TRIANGLE, "status-failed");

  private final String text;
  private final Feather icon;
  private final String styleClass;

  StatusText(String text, Feather icon, String styleClass) {
    this.text = text;
    this.icon = icon;
    this.styleClass = styleClass;
  }

  public String text() {
    return text;
  }

  public Feather icon() {
    return icon;
  }

  /**
   * One of {@code status-idle}, {@code -active}, {@code -warning}, {@code -done}, {@code -failed}.
   */
  public String styleClass() {
    return styleClass;
  }

  public static StatusText of(MigrationStatus status) {
    return switch (status) {
      case NONE -> WAITING;
      case SETUP -> SETUP;
      case ACTIVE -> ACTIVE;
      case PRE_SWITCHOVER -> HELD;
      case DEVICE -> DEVICE;
      case CANCELLING -> CANCELLING;
      case FAILING -> FAILING;
      case COMPLETED -> COMPLETED;
      case FAILED -> FAILED;
      case CANCELLED -> CANCELLED;
      case UNDECIDED -> UNDECIDED;
    };
  }

  /** For one session: a destination that has not begun listens for a source. */
  static StatusText of(Session session) {
    if (!session.migrates()) {
      return switch (session.status()) {
        case FAILED -> FAILED;
        case ACTIVE -> ATTACHED;
        default -> DETACHED;
      };
    }
    return session.status() == MigrationStatus.NONE && session.role() == Role.DESTINATION
        ? LISTENING
        : of(session.status());
  }

  /** For an entry of the list. */
  public static StatusText of(Migration migration) {
    if (migration.pair() == null) {
      return READY;
    }
    if (migration.failedAsExpected()) {
      return FAILED_AS_EXPECTED;
    }
    return migration.unsound() ? UNSOUND : of(migration.pair().leading());
  }
}
