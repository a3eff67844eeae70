// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.help;

import java.util.ArrayList;
import java.util.List;

/**
 * A page of help.
 *
 * @param title a few words
 * @param entries what it says, in order
 */
public record Topic(String title, List<Entry> entries) {

  /**
   * A part of a page.
   *
   * @param name what it is about; empty for an introduction
   * @param text sentences
   */
  public record Entry(String name, String text) {}

  public Topic {
    entries = List.copyOf(entries);
  }

  /** A page of names and texts, one after the other. */
  static Topic of(String title, String... namesAndTexts) {
    var entries = new ArrayList<Entry>();
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      entries.add(new Entry(namesAndTexts[i], namesAndTexts[i + 1]));
    }
    return new Topic(title, entries);
  }
}
