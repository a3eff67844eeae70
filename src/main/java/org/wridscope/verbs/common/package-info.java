// SPDX-License-Identifier: Apache-2.0

/** What devices of each kind share. */
@NullMarked
package org.wridscope.verbs.common;

import org.jspecify.annotations.NullMarked;
