// SPDX-License-Identifier: Apache-2.0
/** Completions and outstanding work of the send and the receive queue. */
@NullMarked
package org.wridscope.ui.completions;

import org.jspecify.annotations.NullMarked;
