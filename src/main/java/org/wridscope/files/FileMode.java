// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.wridscope.units.Parse;

/** File modes in octal. */
public final class FileMode {
  /** Read and write for the owner, execute for nobody. */
  private static final Pattern OCTAL = Pattern.compile("0?6[0246][0246]");

  private FileMode() {}

  /**
   * Parses a mode such as {@code 0600} or {@code 640}: the owner may read and write, nobody may
   * execute.
   *
   * @param field name of the option or form field, for the message
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static Set<PosixFilePermission> parse(String field, String text) {
    String digits = text.strip();
    if (!OCTAL.matcher(digits).matches()) {
      throw new IllegalArgumentException(
          "%s: %s is not a valid mode; write 0600 to 0666 in octal, such as 0640."
              .formatted(field, Parse.quoted(text)));
    }
    int mode = Integer.parseInt(digits, 8);
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission permission : PosixFilePermission.values()) {
      // The constants are in the order of the mode's bits, the owner's first.
      if ((mode >> (8 - permission.ordinal()) & 1) != 0) {
        permissions.add(permission);
      }
    }
    return permissions;
  }
}
