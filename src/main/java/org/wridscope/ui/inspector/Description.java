// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.List;

/**
 * Something that was selected, in words.
 *
 * @param title what it is, a few words
 * @param explanation what that means, one or two sentences
 */
public record Description(String title, String explanation, List<Section> sections) {

  /**
   * Fields that belong together.
   *
   * @param heading empty for none
   */
  public record Section(String heading, List<Field> fields) {}

  /**
   * One field.
   *
   * @param hint what the field means, for a tool tip; may be empty
   */
  public record Field(String name, String value, String hint) {}
}
