// SPDX-License-Identifier: Apache-2.0
/** The fault matrix: where the guest is after an end or the connection fails at any message. */
@NullMarked
package org.wridscope.faults;

import org.jspecify.annotations.NullMarked;
