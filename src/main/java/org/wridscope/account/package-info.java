// SPDX-License-Identifier: Apache-2.0
/**
 * What the events of an end of a migration amount to: its counters, the requests that no completion
 * has covered, and the states of its chunks. Engines, logs, captured packets and recordings give
 * events; here they are applied, once for all.
 */
@NullMarked
package org.wridscope.account;

import org.jspecify.annotations.NullMarked;
