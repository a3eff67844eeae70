// SPDX-License-Identifier: Apache-2.0
/** Memory registrations: how many, how much memory they pin, what they cost. */
@NullMarked
package org.wridscope.ui.registrations;

import org.jspecify.annotations.NullMarked;
