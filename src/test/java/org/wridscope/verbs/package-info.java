// SPDX-License-Identifier: Apache-2.0
/** Contracts of the verbs, as tests that every implementation runs. */
@NullMarked
package org.wridscope.verbs;

import org.jspecify.annotations.NullMarked;
