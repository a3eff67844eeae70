// SPDX-License-Identifier: Apache-2.0
/** Opens recordings, logs and captured packets as sessions, and records sessions. */
@NullMarked
package org.wridscope.recording;

import org.jspecify.annotations.NullMarked;
