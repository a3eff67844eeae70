// SPDX-License-Identifier: Apache-2.0
/** What differs between the machines on which this program runs. */
@NullMarked
package org.wridscope.host;

import org.jspecify.annotations.NullMarked;
