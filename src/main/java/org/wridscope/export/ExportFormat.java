// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.wridscope.files.FileKind;
import org.wridscope.units.Parse;

/** The formats of exported files. */
public enum ExportFormat {
  CSV("csv", "csv", FileKind.CSV),
  /** Before {@link #JSON}, whose extension the names of its files have, too. */
  PERFETTO("perfetto", "perfetto.json", FileKind.PERFETTO),
  JSON("json", "json", FileKind.JSON),
  HTML("html", "html", FileKind.HTML);

  private final String text;
  private final String extension;
  private final FileKind kind;

  ExportFormat(String text, String extension, FileKind kind) {
    this.text = text;
    this.extension = extension;
    this.kind = kind;
  }

  /** The kind of such a file. */
  public FileKind kind() {
    return kind;
  }

  /** Its name. */
  public String text() {
    return text;
  }

  /** The end of the names of its files, without the first point. */
  public String extension() {
    return extension;
  }

  /**
   * The format with this name.
   *
   * @param field its name in the user interface, for messages
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static ExportFormat of(String field, String name) {
    for (ExportFormat format : values()) {
      if (format.text.equalsIgnoreCase(name)) {
        return format;
      }
    }
    throw new IllegalArgumentException(
        "%s: %s is no format; there are %s.".formatted(field, Parse.quoted(name), names()));
  }

  /**
   * The format for the extension of a file.
   *
   * @param field its name in the user interface, for messages
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static ExportFormat of(String field, Path file) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    for (ExportFormat format : values()) {
      if (name.endsWith("." + format.extension)) {
        return format;
      }
    }
    throw new IllegalArgumentException(
        "%s: the name of %s does not say what to write; end it with .html, .json, .csv or .perfetto.json."
            .formatted(field, file));
  }

  private static String names() {
    return Arrays.stream(values()).map(ExportFormat::text).collect(Collectors.joining(", "));
  }
}
