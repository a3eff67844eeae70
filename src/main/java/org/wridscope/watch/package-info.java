// SPDX-License-Identifier: Apache-2.0
/** Migrations of QEMUs that run already, followed through their trace logs. */
@NullMarked
package org.wridscope.watch;

import org.jspecify.annotations.NullMarked;
