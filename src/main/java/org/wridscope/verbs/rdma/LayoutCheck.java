// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

/**
 * Checks that fields of the libraries' structures hold values that were just passed to the
 * libraries. If not, the structures have another layout than this program assumes, and it must not
 * go on.
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
