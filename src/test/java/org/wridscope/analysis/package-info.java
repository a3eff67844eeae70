// SPDX-License-Identifier: Apache-2.0
/** Tests of what is read out of events, and the scripts that write such events. */
@NullMarked
package org.wridscope.analysis;

import org.jspecify.annotations.NullMarked;
