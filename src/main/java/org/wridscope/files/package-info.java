// SPDX-License-Identifier: Apache-2.0
/**
 * Files that users name to be written: what they hold, who may read them, and what may become of a
 * file that has the name already.
 */
@NullMarked
package org.wridscope.files;

import org.jspecify.annotations.NullMarked;
