// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * How a migration ended, as every view, report and export says it.
 *
 * @param verdict one of those that {@linkplain Explanation.Verdict#isEnd end} a migration
 * @param sentence what happened first, and what has become of the guest; some sentences
 */
public record Ending(Explanation.Verdict verdict, String sentence) {}
