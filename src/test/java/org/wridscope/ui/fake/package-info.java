// SPDX-License-Identifier: Apache-2.0
/** Sessions without an engine: a seeded model of a migration fills their telemetry. */
@NullMarked
package org.wridscope.ui.fake;

import org.jspecify.annotations.NullMarked;
