// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import java.util.List;
import org.wridscope.text.Format;

/** What was searched for last. */
public final class RecentQueries {
  private static final String MEMBER = "recent-queries";

  private final RecentTexts texts;

  public RecentQueries(StoredJson store) {
    texts = new RecentTexts(store, MEMBER);
  }

  /** What is remembered of them. */
  public Memory memory() {
    return new Memory(
        MEMBER,
        "What was searched for last",
        texts.store(),
        List.of(MEMBER),
        () -> {
          int count = list().size();
          return Format.count(count) + (count == 1 ? " query" : " queries");
        });
  }

  /** The latest first. */
  public List<String> list() {
    return texts.list();
  }

  /** Adds one as the latest; a blank one is none. */
  public void add(String query) {
    texts.add(query);
  }
}
