// SPDX-License-Identifier: Apache-2.0
/** Tests of the analysis of events, and scripts that write such events. */
@NullMarked
package org.wridscope.analysis;

import org.jspecify.annotations.NullMarked;
