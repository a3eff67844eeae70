// SPDX-License-Identifier: Apache-2.0
/** What every implementation of the verbs has to do, as tests to be run through by each of them. */
@NullMarked
package org.wridscope.verbs;

import org.jspecify.annotations.NullMarked;
