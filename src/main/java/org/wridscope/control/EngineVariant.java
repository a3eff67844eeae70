// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/** How the engines of a lab differ from those of other sessions, to demonstrate mistakes. */
record EngineVariant(CompletionQueues queues, ReleaseTime release) {

  /** The engine of all other sessions. */
  static final EngineVariant NONE =
      new EngineVariant(CompletionQueues.SPLIT, ReleaseTime.ON_COMPLETION);

  boolean sharedQueue() {
    return queues == CompletionQueues.SHARED;
  }

  boolean releaseOnReply() {
    return release == ReleaseTime.ON_REPLY;
  }
}
