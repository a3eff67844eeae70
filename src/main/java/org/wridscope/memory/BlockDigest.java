// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

/**
 * The digest of a RAM block, with which it is compared to the block at the other end.
 *
 * <p>It is not a SHA-256 of the RAM: each chunk has a checksum of 64 bits, its CRC-32C and its
 * CRC-32, and the digest is the SHA-256 of the block's length and these checksums. The generator
 * polynomials of the two CRCs have no common factor, so a chunk's checksum detects what one CRC of
 * degree 64 does: every difference within 64 consecutive bits, and all but 2<sup>-64</sup> (5 in
 * 10<sup>20</sup>) of random differences. That is the probability that a block with one chunk that
 * differs at random is found equal; with several such chunks it is smaller still. This detects
 * errors of software and hardware, but it is no protection against an adversary: CRCs are linear,
 * so that a chunk with a given checksum is easy to construct.
 *
 * @param name of the block
 * @param length bytes of the block
 * @param digest 64 hexadecimal digits, lower case
 */
public record BlockDigest(String name, long length, String digest) {}
