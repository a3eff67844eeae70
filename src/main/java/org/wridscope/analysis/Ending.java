// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * How a migration ended, in the words of every view, report and export.
 *
 * @param state one of those of a migration that has ended
 * @param sentence what happened first, and where the guest is now; a few sentences
 */
public record Ending(Explanation.State state, String sentence) {}
