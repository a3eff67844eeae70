// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The texts that were last typed for something.
 *
 * @param member where they are stored
 */
record RecentTexts(StoredJson store, String member) {
  /** More would make a list hard to read. */
  private static final int MOST = 8;

  private static final int LONGEST = 512;

  /** The latest first. */
  List<String> list() {
    String[] stored = store.get(member, String[].class);
    return Stream.of(stored == null ? new String[0] : stored)
        .filter(Objects::nonNull)
        .filter(text -> !text.isBlank() && text.length() <= LONGEST)
        .distinct()
        .limit(MOST)
        .toList();
  }

  /** Adds one as the latest; a blank one is none. */
  void add(String text) {
    if (!text.isBlank() && text.length() <= LONGEST) {
      store.change(object -> putFirst(object, text.strip()));
    }
  }

  /** What other windows have added stays. */
  private void putFirst(JsonObject object, String text) {
    var latest = new JsonArray();
    latest.add(text);
    if (object.get(member) instanceof JsonArray before) {
      before.asList().stream()
          .filter(each -> each instanceof JsonPrimitive name && !name.getAsString().equals(text))
          .limit(MOST - 1)
          .forEach(latest::add);
    }
    object.add(member, latest);
  }
}
