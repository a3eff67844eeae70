// SPDX-License-Identifier: Apache-2.0
/**
 * Sessions in files that other programs read: CSV tables, a JSON document, an HTML report. {@code
 * docs/export.md} names what is in them. Reads {@code control}, {@code analysis}, {@code telemetry}
 * and {@code recording}; for the caller's thread, no JavaFX.
 */
@NullMarked
package org.wridscope.export;

import org.jspecify.annotations.NullMarked;
