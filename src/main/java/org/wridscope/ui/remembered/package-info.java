// SPDX-License-Identifier: Apache-2.0

/**
 * What the window remembers from one start to the next, in JSON files of the user. Nothing of it is
 * secret.
 */
@NullMarked
package org.wridscope.ui.remembered;

import org.jspecify.annotations.NullMarked;
