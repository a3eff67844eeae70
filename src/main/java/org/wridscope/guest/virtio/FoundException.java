// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/** A driver noticed that a request was not completed exactly once, or not in order. */
final class FoundException extends Exception {
  private final Finding finding;

  FoundException(Finding finding) {
    super(finding.sentence());
    this.finding = finding;
  }

  Finding finding() {
    return finding;
  }
}
