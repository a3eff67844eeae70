// SPDX-License-Identifier: Apache-2.0
/** Recorded sessions, which can be moved to any moment. */
@NullMarked
package org.wridscope.recording.replay;

import org.jspecify.annotations.NullMarked;
