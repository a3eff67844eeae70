// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

/** Creates the two halves of a queue pair, each once. */
interface QueuePairHalves {

  Requester requester(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions);

  Responder responder(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions);
}
