// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import java.util.List;
import java.util.function.Supplier;

/**
 * Something that the window remembers by itself, and forgets when the user says so.
 *
 * @param id of its controls, in lower case with hyphens
 * @param title what it is, a phrase that begins with a capital letter
 * @param store contains it
 * @param members of the store, at least one
 * @param content how much it is, a phrase
 */
public record Memory(
    String id, String title, StoredJson store, List<String> members, Supplier<String> content) {
  public Memory {
    members = List.copyOf(members);
  }

  /** Whether there is something to forget. */
  public boolean isThere() {
    return members.stream().anyMatch(store::has);
  }

  /**
   * Forgets it.
   *
   * @return remembers it again
   */
  public Runnable forget() {
    return store.forget(members);
  }
}
