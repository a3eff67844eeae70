// SPDX-License-Identifier: Apache-2.0
/**
 * Charts over time: samples of a session's history drawn one vertical run per pixel column. What is
 * drawn is decided in plain Java and tested without a window; no session is started or steered
 * here.
 */
@NullMarked
package org.wridscope.ui.chart;

import org.jspecify.annotations.NullMarked;
