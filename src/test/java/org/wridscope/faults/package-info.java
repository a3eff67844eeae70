// SPDX-License-Identifier: Apache-2.0
/** The fault matrix: what becomes of the guest when an end or the link fails at each message. */
@NullMarked
package org.wridscope.faults;

import org.jspecify.annotations.NullMarked;
