// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Orders sentences that have too little room: where the guest is matters most. */
public final class GuestFirst {
  /** What says where a guest is, not only names one. */
  private static final Pattern PLACE =
      Pattern.compile("^The guest\\b|\\bguest (keeps|runs|stays|is|was|may)\\b");

  private GuestFirst() {}

  /** The same sentences, those that say where the guest is first. */
  public static String of(String text) {
    BreakIterator sentences = BreakIterator.getSentenceInstance(Locale.ROOT);
    sentences.setText(text);
    List<String> about = new ArrayList<>();
    List<String> others = new ArrayList<>();
    int from = sentences.first();
    for (int to = sentences.next(); to != BreakIterator.DONE; to = sentences.next()) {
      String sentence = text.substring(from, to).strip();
      (PLACE.matcher(sentence).find() ? about : others).add(sentence);
      from = to;
    }
    about.addAll(others);
    return String.join(" ", about);
  }
}
