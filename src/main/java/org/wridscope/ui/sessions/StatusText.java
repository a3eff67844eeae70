// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import org.kordamp.ikonli.feather.Feather;
import org.wridscope.analysis.Ending;
import org.wridscope.control.Session;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** How a status is shown: a word, an icon and a style class, never only a colour. */
public enum StatusText {
  READY("ready to start", Feather.PLAY_CIRCLE, "status-idle"),
  WAITING("starting", Feather.CIRCLE, "status-idle"),
  LISTENING("listening", Feather.CIRCLE, "status-idle"),
  SETUP("setting up", Feather.LOADER, "status-active"),
  ACTIVE("migrating", Feather.ARROW_RIGHT_CIRCLE, "status-active"),
  ATTACHED("attached", Feather.EYE, "status-active"),
  HELD("waits for you", Feather.CLOCK, "status-warning"),
  DEVICE("switching over", Feather.PAUSE_CIRCLE, "status-active"),
  CANCELLING("cancelling", Feather.MINUS_CIRCLE, "status-warning"),
  FAILING("failing", Feather.X_CIRCLE, "status-warning"),
  COMPLETED("completed", Feather.CHECK_CIRCLE, "status-done"),
  DETACHED("ended", Feather.CHECK_CIRCLE, "status-done"),
  UNSOUND(Ending.UNSOUND, Feather.ALERT_TRIANGLE, "status-warning"),
  FAILED("failed", Feather.X_CIRCLE, "status-failed"),
  FAILED_AS_EXPECTED("failed, as expected", Feather.X_CIRCLE, "status-done"),
  CANCELLED("cancelled", Feather.SLASH, "status-warning"),
  UNDECIDED("undecided", Feather.ALERT_TRIANGLE, "status-failed"),
  /** The last moment of a recording that was cut off. */
  CUT_OFF("end not recorded", Feather.ALERT_TRIANGLE, "status-warning");

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
    if (session.isCutOff()) {
      return CUT_OFF;
    }
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
