// SPDX-License-Identifier: Apache-2.0
/** The ladder of control messages between source and destination. */
@NullMarked
package org.wridscope.ui.messages;

import org.jspecify.annotations.NullMarked;
