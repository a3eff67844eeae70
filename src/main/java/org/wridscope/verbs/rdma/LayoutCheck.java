// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

/**
 * Reads back from the libraries' structures what was just passed to them. If they lay them out in
 * another way than this program believes, it must not go on.
 */
final class LayoutCheck {
  private LayoutCheck() {}

  /**
   * @throws IllegalStateException when the field does not hold what it should
   */
  static void expect(String field, long expected, long found) {
    if (found != expected) {
      throw new IllegalStateException(
          "%s holds 0x%x instead of 0x%x: this rdma-core has another structure layout"
              .formatted(field, found, expected));
    }
  }
}
