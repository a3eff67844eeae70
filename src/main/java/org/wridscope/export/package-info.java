// SPDX-License-Identifier: Apache-2.0
/**
 * Exports sessions to files for other programs: CSV tables, a JSON document, an HTML report. {@code
 * docs/export.md} describes their content. Reads {@code control}, {@code analysis}, {@code
 * telemetry} and {@code recording}; works on the caller's thread, without JavaFX.
 */
@NullMarked
package org.wridscope.export;

import org.jspecify.annotations.NullMarked;
