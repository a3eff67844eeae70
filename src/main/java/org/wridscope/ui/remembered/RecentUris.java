// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.wridscope.text.Format;

/** The addresses of one kind that were used last. */
public final class RecentUris {
  /** More would make a list hard to read. */
  private static final int MOST = 8;

  private static final int LONGEST = 512;

  private final StoredJson store;
  private final String member;

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
    this.store = store;
    member = "recent-uris-" + kind.name().toLowerCase(Locale.ROOT);
  }

  /** What is remembered of all kinds. */
  public static Memory memory(StoredJson store) {
    List<RecentUris> all =
        Stream.of(Kind.values()).map(kind -> new RecentUris(store, kind)).toList();
    return new Memory(
        "recent-uris",
        "Addresses that were used last",
        store,
        all.stream().map(uris -> uris.member).toList(),
        () -> {
          long count = all.stream().mapToLong(uris -> uris.list().size()).sum();
          return Format.count(count) + (count == 1 ? " address" : " addresses");
        });
  }

  /** The latest first. */
  public List<String> list() {
    String[] stored = store.get(member, String[].class);
    return Stream.of(stored == null ? new String[0] : stored)
        .filter(Objects::nonNull)
        .filter(uri -> !uri.isBlank() && uri.length() <= LONGEST)
        .distinct()
        .limit(MOST)
        .toList();
  }

  /** Adds one as the latest; a blank one is none. */
  public void add(String uri) {
    if (!uri.isBlank() && uri.length() <= LONGEST) {
      store.change(object -> putFirst(object, uri.strip()));
    }
  }

  /** What other windows have added stays. */
  private void putFirst(JsonObject object, String uri) {
    var latest = new JsonArray();
    latest.add(uri);
    if (object.get(member) instanceof JsonArray before) {
      before.asList().stream()
          .filter(each -> each instanceof JsonPrimitive name && !name.getAsString().equals(uri))
          .limit(MOST - 1)
          .forEach(latest::add);
    }
    object.add(member, latest);
  }
}
