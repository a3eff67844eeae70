// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.WorkCompletionStatus;

/**
 * A completion that was not polled yet.
 *
 * @param received whether it is one of the receive queue
 */
public record PendingCompletion(
    PostedRequest request, WorkCompletionStatus status, boolean received) {}
