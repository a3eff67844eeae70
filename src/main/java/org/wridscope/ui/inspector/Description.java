// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.List;
import org.wridscope.analysis.meaning.Meaning;

/**
 * The description of something selected.
 *
 * @param title what it is, a few words
 * @param explanation what that means, one or two sentences
 */
public record Description(String title, String explanation, List<Section> sections) {

  /**
   * Fields that belong together.
   *
   * @param heading empty for none
   * @param texts paragraphs below the fields, such as what a status means
   */
  public record Section(String heading, List<Field> fields, List<Meaning.Paragraph> texts) {

    /** A section without paragraphs. */
    public Section(String heading, List<Field> fields) {
      this(heading, fields, List.of());
    }

    /** What a value means, in the words of the command {@code explain}. */
    static Section of(Meaning meaning) {
      return new Section(meaning.title(), List.of(), meaning.paragraphs());
    }
  }

  /**
   * One field.
   *
   * @param hint the meaning of the field, for a tooltip; may be empty
   * @param nanos the moment to which it leads; {@link #NOWHERE} for none
   */
  public record Field(String name, String value, String hint, long nanos) {
    static final long NOWHERE = Long.MIN_VALUE;

    /** A field that leads nowhere. */
    public Field(String name, String value, String hint) {
      this(name, value, hint, NOWHERE);
    }

    boolean leads() {
      return nanos != NOWHERE;
    }
  }
}
