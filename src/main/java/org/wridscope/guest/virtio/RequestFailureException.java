// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/** A driver noticed that a request was not completed exactly once, or not in order. */
final class RequestFailureException extends Exception {
  private final RequestFailure failure;

  RequestFailureException(RequestFailure failure) {
    super(failure.observation());
    this.failure = failure;
  }

  RequestFailure failure() {
    return failure;
  }
}
