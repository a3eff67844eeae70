// SPDX-License-Identifier: Apache-2.0
/**
 * RAM as the engine sees it: blocks of native memory, the chunks of a block with their keys and
 * states, dirty bitmaps, zero detection and digests. Knows nothing of verbs.
 */
@NullMarked
package org.wridscope.memory;

import org.jspecify.annotations.NullMarked;
