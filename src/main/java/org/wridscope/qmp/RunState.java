// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

/**
 * What a QEMU's guest does: the answer to {@code query-status}.
 *
 * @param status QEMU's RunState, for example {@code running}, {@code paused}, {@code inmigrate} or
 *     {@code postmigrate}
 * @param running whether its processors run
 */
public record RunState(String status, boolean running) {}
