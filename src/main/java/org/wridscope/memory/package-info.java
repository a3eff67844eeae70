// SPDX-License-Identifier: Apache-2.0
/**
 * Guest RAM for the engine: blocks of native memory, the chunks of a block with their keys and
 * states, dirty bitmaps, zero detection and digests. Independent of verbs.
 */
@NullMarked
package org.wridscope.memory;

import org.jspecify.annotations.NullMarked;
