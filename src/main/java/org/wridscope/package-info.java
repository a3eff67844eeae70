// SPDX-License-Identifier: Apache-2.0
/** The entry point. Everything else lives in the packages below. */
@NullMarked
package org.wridscope;

import org.jspecify.annotations.NullMarked;
