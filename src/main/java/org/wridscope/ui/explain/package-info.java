// SPDX-License-Identifier: Apache-2.0
/** What happened and why, what was found, and how long requests took. */
@NullMarked
package org.wridscope.ui.explain;

import org.jspecify.annotations.NullMarked;
