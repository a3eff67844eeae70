// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.wridscope.text.Format;

/** The addresses of one kind that were used last. */
public final class RecentUris {
  private final RecentTexts texts;

  /** What an address is of; each kind has a list of its own. */
  public enum Kind {
    /** Where a source has found its destination. */
    SOURCE,
    /** Where a destination has listened. */
    DESTINATION,
    /** Of a migration of a QEMU. */
    QEMU,
    /** Of a migration by libvirt. */
    FLEET,
    /** A QMP socket. */
    QMP,
    LIBVIRT,
    WRIDSCOPE
  }

  public RecentUris(StoredJson store, Kind kind) {
    texts = new RecentTexts(store, "recent-uris-" + kind.name().toLowerCase(Locale.ROOT));
  }

  /** What is remembered of all kinds. */
  public static Memory memory(StoredJson store) {
    List<RecentUris> all =
        Stream.of(Kind.values()).map(kind -> new RecentUris(store, kind)).toList();
    return new Memory(
        "recent-uris",
        "Addresses that were used last",
        store,
        all.stream().map(uris -> uris.texts.member()).toList(),
        () -> {
          long count = all.stream().mapToLong(uris -> uris.list().size()).sum();
          return Format.count(count) + (count == 1 ? " address" : " addresses");
        });
  }

  /** The latest first. */
  public List<String> list() {
    return texts.list();
  }

  /** Adds one as the latest; a blank one is none. */
  public void add(String uri) {
    texts.add(uri);
  }
}
