// SPDX-License-Identifier: Apache-2.0

/** The scenarios to choose from. */
@NullMarked
package org.wridscope.ui.scenarios;

import org.jspecify.annotations.NullMarked;
