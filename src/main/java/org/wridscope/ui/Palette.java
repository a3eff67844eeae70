// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.paint.Color;
import org.wridscope.memory.ShownState;

/**
 * Colours with the same meaning in every view, in a shade for each theme: the set of Okabe and Ito,
 * which can be told apart with every kind of colour vision. Never the only sign: each comes with a
 * shape, a hatch or a word.
 */
public enum Palette {
  /** The send queue. Blue. */
  SEND(0x4C9BE0, 0x0072B2),
  /** The receive queue. Orange. */
  RECEIVE(0xE69F00, 0xC98600),
  /** Posted and not completed. Vermillion. */
  IN_TRANSIT(0xE8702A, 0xD55E00),
  /** Registered, with keys. Bluish green. */
  REGISTERED(0x19B38A, 0x009E73),
  /** Zero pages. Grey. */
  ZERO(0x6E7681, 0x9AA3AD),
  /** Written by the guest after it was sent. Yellow. */
  DIRTY(0xF0E442, 0xD9C50B),
  /** Sent in this round. Sky blue. */
  SENT(0x56B4E9, 0x56B4E9),
  /** Failed or out of order. Reddish purple, with a cross. */
  FAILED(0xD98CB3, 0xB0558A),
  /** Deregistered before the end. Teal. */
  GIVEN_BACK(0x3B7A85, 0x8CBFC8),
  /** To be deregistered before the end. Lavender. */
  QUEUED(0xB9A7F5, 0x8A6FDB),
  /** To be deregistered, but in use. Violet. */
  PUT_OFF(0x7F5AF0, 0x4B2BA3),
  /** Not registered. */
  UNTOUCHED(0x262C36, 0xE6EAEF),
  /** A limit: queue depth, bandwidth limit, memlock. */
  LIMIT(0xC9D1D9, 0x424A53),
  /** Waiting, as a shaded span. */
  WAIT(0x3A2F4D, 0xEDE3F2),

  /** The background of pictures. */
  GROUND(0x0D1117, 0xFFFFFF),
  GRID(0x21262D, 0xE4E8EC),
  /** Marks of rounds and phases on a time axis. */
  MARK(0x484F58, 0xAFB8C1),
  /** The cursor line that all time views share, and the frame around what is selected. */
  CURSOR(0xF0F6FC, 0x1F2328),
  /** Text of axes; contrast with the background at least 4.5:1. */
  TEXT(0xA3ADB8, 0x57606A);

  private final int dark;
  private final int light;
  private final Color darkColor;
  private final Color lightColor;

  Palette(int dark, int light) {
    this.dark = 0xff000000 | dark;
    this.light = 0xff000000 | light;
    darkColor = Color.web(web(true));
    lightColor = Color.web(web(false));
  }

  /** The opaque colour, for pixel buffers. */
  public int argb(boolean darkTheme) {
    return darkTheme ? dark : light;
  }

  public Color color(boolean darkTheme) {
    return darkTheme ? darkColor : lightColor;
  }

  /** The colour in the notation of style sheets, for example {@code #0072b2}. */
  public String web(boolean darkTheme) {
    return "#%06x".formatted(argb(darkTheme) & 0xffffff);
  }

  /** The colour of a chunk of which this is shown. */
  public static Palette of(ShownState state) {
    return switch (state) {
      case NOT_REGISTERED -> UNTOUCHED;
      case ZERO -> ZERO;
      case REGISTERED -> REGISTERED;
      case SENT -> SENT;
      case DIRTY_AGAIN -> DIRTY;
      case IN_TRANSIT -> IN_TRANSIT;
      case GIVEN_BACK -> GIVEN_BACK;
      case QUEUED -> QUEUED;
      case PUT_OFF -> PUT_OFF;
    };
  }
}
