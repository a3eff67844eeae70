// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file that a user has named for output.
 *
 * @param field name of the option or form field, with which messages begin
 * @param path as the user wrote it
 * @param kind of the file
 * @param replace which existing file may be replaced
 * @param mode permissions of the file; null for the default of the process's umask
 */
public record Output(
    String field,
    Path path,
    FileKind kind,
    Replace replace,
    @Nullable Set<PosixFilePermission> mode) {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");

  /** Which existing file may be replaced; never one of another kind. */
  public enum Replace {
    /** None. */
    NOTHING,
    /** The file that existed when the user agreed. */
    AGREED,
    /** Any file of the same kind, whenever it appeared. */
    OWN_KIND
  }

  public Output {
    mode = mode == null ? null : Set.copyOf(mode);
  }

  /**
   * An output with the defaults of its kind: only reports and exports replace older files; files
   * with content of a guest are readable by their owner only.
   */
  public static Output of(String field, Path path, FileKind kind) {
    return new Output(
        field,
        path,
        kind,
        kind.replacesItsOwn() ? Replace.OWN_KIND : Replace.NOTHING,
        kind.ofGuest() ? OWNER : null);
  }

  /** A copy that replaces the present file; call it after the user has agreed to that. */
  public Output replacing() {
    return replace == Replace.NOTHING ? new Output(field, path, kind, Replace.AGREED, mode) : this;
  }

  /** A copy that replaces nothing, for a name that the user was not asked about. */
  public Output onlyNew() {
    return new Output(field, path, kind, Replace.NOTHING, mode);
  }

  /** A copy with other permissions. */
  public Output withMode(Set<PosixFilePermission> wider) {
    return new Output(field, path, kind, replace, wider);
  }
}
