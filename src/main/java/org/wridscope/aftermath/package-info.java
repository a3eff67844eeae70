// SPDX-License-Identifier: Apache-2.0
/**
 * What processes of this program left that were killed: what ran, and where its guests are, as far
 * as journals, guards, captures and recordings tell.
 */
@NullMarked
package org.wridscope.aftermath;

import org.jspecify.annotations.NullMarked;
