// SPDX-License-Identifier: Apache-2.0
/**
 * What all views share: the view itself, the sessions it shows, the one clock, the one selection
 * and the colours. No view lives here, and nothing that starts or steers a session.
 */
@NullMarked
package org.wridscope.ui;

import org.jspecify.annotations.NullMarked;
