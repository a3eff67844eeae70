// SPDX-License-Identifier: Apache-2.0
/**
 * The format of recordings: what sessions are written as and read from. It is described in {@code
 * docs/recording.md}.
 */
@NullMarked
package org.wridscope.recording.file;

import org.jspecify.annotations.NullMarked;
