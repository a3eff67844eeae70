// SPDX-License-Identifier: Apache-2.0
/**
 * The embedded software RDMA device: channel adapters whose threads execute work requests by
 * copying memory inside this process, with the checks, states and error completions of hardware.
 *
 * <p>Nothing lives here that a real device would not do, and nothing that knows what the memory or
 * the messages mean.
 */
@NullMarked
package org.wridscope.verbs.soft;

import org.jspecify.annotations.NullMarked;
