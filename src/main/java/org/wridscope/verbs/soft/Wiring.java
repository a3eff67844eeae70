// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

/** What leads from a queue pair to its peer. Makes the two halves, each once. */
interface Wiring {

  Requester requester(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions);

  Responder responder(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions);
}
