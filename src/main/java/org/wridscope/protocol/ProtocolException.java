// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.io.IOException;
import org.wridscope.text.Legible;

/**
 * The peer, or a file in the peer's format, broke a rule of the protocol. The message is one
 * sentence with the field, its value and what is allowed.
 */
public final class ProtocolException extends IOException {
  private static final int MAX_VALUE_LENGTH = 80;

  private final String field;
  private final String value;
  private final String limit;

  private ProtocolException(String field, String value, String limit) {
    this("%s is %s; it must be %s".formatted(field, value, limit), field, value, limit);
  }

  private ProtocolException(String message, String field, String value, String limit) {
    super(message);
    this.field = field;
    this.value = value;
    this.limit = limit;
  }

  /**
   * An exception for a value of any kind.
   *
   * @param field for example {@code control header length}
   * @param value shown shortened and {@linkplain Legible legible}, since it may be text that the
   *     peer chose
   * @param allowed for example {@code 0 to 4096}
   */
  public static ProtocolException of(String field, Object value, String allowed) {
    return new ProtocolException(field, Legible.of(value.toString(), MAX_VALUE_LENGTH), allowed);
  }

  /**
   * An exception for data of another format, as its first bytes show.
   *
   * @param what the expected format, for example {@code a captured guest}
   */
  public static ProtocolException notA(String what) {
    return new ProtocolException("this is not " + what, "beginning", "another one", what);
  }

  /** An exception for an unsigned number of 32 bits. */
  public static ProtocolException ofUnsigned(String field, int value, String allowed) {
    return of(field, Integer.toUnsignedString(value), allowed);
  }

  /** An exception for an unsigned number of 64 bits. */
  public static ProtocolException ofUnsigned(String field, long value, String allowed) {
    return of(field, Long.toUnsignedString(value), allowed);
  }

  /** An exception for an address, an unsigned number of 64 bits that is shown in hexadecimal. */
  public static ProtocolException ofAddress(String field, long address, String allowed) {
    return of(field, "0x" + Long.toHexString(address), allowed);
  }

  public String field() {
    return field;
  }

  public String value() {
    return value;
  }

  /** What is allowed. */
  public String limit() {
    return limit;
  }
}
