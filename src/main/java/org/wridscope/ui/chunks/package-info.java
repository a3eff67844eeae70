// SPDX-License-Identifier: Apache-2.0
/**
 * The map of the chunks of all RAM blocks. What changed, where it lies and which pixels it takes is
 * decided in plain Java and tested without a window; no session is started or steered here.
 */
@NullMarked
package org.wridscope.ui.chunks;

import org.jspecify.annotations.NullMarked;
