// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

/** A row of the list. */
public sealed interface Row permits Migration, Heading {}
