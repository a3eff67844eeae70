// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

/**
 * What the drivers at one end found about their requests.
 *
 * @param sound whether no request is known to be lost or completed twice
 * @param sentence describes the result
 */
record DriverCheck(boolean sound, String sentence) {}
