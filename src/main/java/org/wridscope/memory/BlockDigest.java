// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

/**
 * What proves a RAM block equal to another one.
 *
 * @param name of the block
 * @param length bytes of the block
 * @param sha256 over the checksums of its chunks in order, 64 hexadecimal digits
 */
public record BlockDigest(String name, long length, String sha256) {}
