// SPDX-License-Identifier: Apache-2.0
/** Tests of the ladder of control messages. */
@NullMarked
package org.wridscope.ui.messages;

import org.jspecify.annotations.NullMarked;
