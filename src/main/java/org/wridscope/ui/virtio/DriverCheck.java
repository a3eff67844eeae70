// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

/**
 * What the drivers at one end know of their requests.
 *
 * @param sound whether each came back once, as far as is known
 * @param sentence for people
 */
record DriverCheck(boolean sound, String sentence) {}
