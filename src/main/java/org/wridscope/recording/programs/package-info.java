// SPDX-License-Identifier: Apache-2.0
/** Logs of programs as sessions; see {@code docs/import.md}. */
@NullMarked
package org.wridscope.recording.programs;

import org.jspecify.annotations.NullMarked;
