// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.sessions.Migration;

/**
 * How pairs of migrations were last aligned, for as long as both are in the list. For the JavaFX
 * thread only.
 */
public final class Alignments {
  /** By the left migration, then by the right one. */
  private final Map<Migration, Map<Migration, Kept>> kept = new WeakHashMap<>();

  /**
   * How two migrations are aligned.
   *
   * @param event the phase from which both count; null for the preferred one
   * @param offset by which the right one is shown later, in nanoseconds
   */
  record Kept(@Nullable String event, long offset) {
    static final Kept NOTHING = new Kept(null, 0);
  }

  void keep(Migration left, Migration right, Kept alignment) {
    kept.computeIfAbsent(left, _ -> new WeakHashMap<>()).put(right, alignment);
    kept.computeIfAbsent(right, _ -> new WeakHashMap<>())
        .put(left, new Kept(alignment.event, -alignment.offset));
  }

  /** How two migrations were last aligned, whichever of them was at the left. */
  Kept of(Migration left, Migration right) {
    return kept.getOrDefault(left, Map.of()).getOrDefault(right, Kept.NOTHING);
  }
}
