// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.List;

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
   */
  public record Section(String heading, List<Field> fields) {}

  /**
   * One field.
   *
   * @param hint the meaning of the field, for a tooltip; may be empty
   */
  public record Field(String name, String value, String hint) {}
}
