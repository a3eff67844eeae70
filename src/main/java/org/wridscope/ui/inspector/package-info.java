// SPDX-License-Identifier: Apache-2.0
/**
 * What is selected, with every field decoded and explained. Describing is plain Java; nothing is
 * changed from here.
 */
@NullMarked
package org.wridscope.ui.inspector;

import org.jspecify.annotations.NullMarked;
