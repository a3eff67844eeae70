// SPDX-License-Identifier: Apache-2.0
/**
 * What the events of a session mean: work requests from post to completion, the order of
 * completions, waits, control messages, and explanations and findings drawn from them. Reads
 * telemetry; no JavaFX, no threads.
 */
@NullMarked
package org.wridscope.analysis;

import org.jspecify.annotations.NullMarked;
