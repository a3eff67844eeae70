// SPDX-License-Identifier: Apache-2.0
/**
 * What all views share: their interface, the shown sessions, the time range, the selection and the
 * colours. Contains no view, and nothing that starts or steers a session.
 */
@NullMarked
package org.wridscope.ui;

import org.jspecify.annotations.NullMarked;
