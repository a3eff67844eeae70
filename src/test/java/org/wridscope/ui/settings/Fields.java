// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

/** Fields by the names that tables of tests have. */
final class Fields {
  private Fields() {}

  static Field named(String name) {
    return Field.all().stream()
        .filter(field -> field.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
