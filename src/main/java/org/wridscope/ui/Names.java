// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import org.wridscope.telemetry.Role;

/** Names that the layers below give to things, in the user's language. */
public final class Names {
  private static final String ROUND = "round ";

  private Names() {}

  /**
   * A phase of a migration, or a part of its downtime; as it is called in English if there is no
   * other name for it.
   */
  public static String phase(String english) {
    if (english.startsWith(ROUND)) {
      return Texts.of("round %s", english.substring(ROUND.length()));
    }
    return switch (english) {
      case "attach" -> Texts.of("attach");
      case "beginning" -> Texts.of("beginning");
      case "connect" -> Texts.of("connect");
      case "device state" -> Texts.of("device state");
      case "devices" -> Texts.of("devices");
      case "done" -> Texts.of("done");
      case "held" -> Texts.of("held");
      case "last pages" -> Texts.of("last pages");
      case "listen" -> Texts.of("listen");
      case "load" -> Texts.of("load");
      case "pause" -> Texts.of("pause");
      case "resume" -> Texts.of("resume");
      case "rounds" -> Texts.of("rounds");
      case "set-up" -> Texts.of("set-up");
      case "switch-over" -> Texts.of("switch-over");
      case "verify" -> Texts.of("verify");
      default -> english;
    };
  }

  /** An end of a migration. */
  public static String end(Role role) {
    return switch (role) {
      case SOURCE -> Texts.of("source");
      case DESTINATION -> Texts.of("destination");
    };
  }
}
