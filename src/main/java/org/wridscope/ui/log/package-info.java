// SPDX-License-Identifier: Apache-2.0
/**
 * The events of a session as a table of sentences. Keeps no event for longer than the session does.
 */
@NullMarked
package org.wridscope.ui.log;

import org.jspecify.annotations.NullMarked;
