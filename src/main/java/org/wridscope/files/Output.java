// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file that a user has named for something to be written to it.
 *
 * @param field what the user calls it: an option or the label of a field; messages begin with it
 * @param path as it was named
 * @param kind what will be written
 * @param replace what may be replaced
 * @param mode who may read and write it; null for what the process's umask leaves to new files
 */
public record Output(
    String field,
    Path path,
    FileKind kind,
    Replace replace,
    @Nullable Set<PosixFilePermission> mode) {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");

  /** Which file that has the name already gives way. Never one of another kind. */
  public enum Replace {
    /** None. */
    NOTHING,
    /** The one that was there when the user agreed. */
    AGREED,
    /** Any of the same kind, whenever it appeared. */
    OWN_KIND
  }

  public Output {
    mode = mode == null ? null : Set.copyOf(mode);
  }

  /**
   * With what is usual for its kind: reports and exports take the place of older ones, nothing else
   * replaces anything; what shows the inside of a guest is for its owner only.
   */
  public static Output of(String field, Path path, FileKind kind) {
    return new Output(
        field,
        path,
        kind,
        kind.replacesItsOwn() ? Replace.OWN_KIND : Replace.NOTHING,
        kind.ofGuest() ? OWNER : null);
  }

  /** The same after the user has agreed that what is there now may be replaced. */
  public Output replacing() {
    return replace == Replace.NOTHING ? new Output(field, path, kind, Replace.AGREED, mode) : this;
  }

  /** The same, which replaces nothing, as nobody was asked about a file of that name. */
  public Output onlyNew() {
    return new Output(field, path, kind, Replace.NOTHING, mode);
  }

  /** The same, for others too. */
  public Output withMode(Set<PosixFilePermission> wider) {
    return new Output(field, path, kind, replace, wider);
  }
}
