// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.wridscope.units.Parse;

/**
 * A range of IP addresses with a common prefix, written {@code ADDRESS/BITS}, for example {@code
 * 10.9.0.0/24} or {@code fd00::/8}. An address without a prefix length is a range of one.
 *
 * @param address the first address of the range; its bits after the prefix are 0
 * @param bits prefix length, 0 to 32 for IPv4, 0 to 128 for IPv6
 */
public record AddressRange(InetAddress address, int bits) {
  private static final Pattern TEXT =
      Pattern.compile("([0-9.]{7,15}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)(?:/([0-9]{1,3}))?");

  /** Four decimal numbers: InetAddress also accepts 10.1 and 010.0.0.1, which are ambiguous. */
  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:0|[1-9][0-9]{0,2})\\.){3}(?:0|[1-9][0-9]{0,2})");

  /**
   * Parses a range.
   *
   * @param field name of the option or form field, for the message
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static AddressRange parse(String field, String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw notARange(field, text);
    }
    InetAddress address = literal(field, text, matcher.group(1));
    int length = address.getAddress().length * Byte.SIZE;
    int bits = matcher.group(2) == null ? length : Integer.parseInt(matcher.group(2));
    if (bits > length) {
      throw new IllegalArgumentException(
          "%s: the prefix length of %s is too long; such an address has only %d bits."
              .formatted(field, Parse.quoted(text), length));
    }
    InetAddress first = first(address, bits);
    if (!first.equals(address)) {
      throw new IllegalArgumentException(
          "%s: %s is not the first address of its range; write %s/%d for the range, or %s for the address."
              .formatted(
                  field,
                  Parse.quoted(text),
                  first.getHostAddress(),
                  bits,
                  address.getHostAddress()));
    }
    return new AddressRange(address, bits);
  }

  /** Parses ranges separated by commas or spaces; empty if there are none. */
  public static List<AddressRange> parseAll(String field, String text) {
    return Stream.of(text.split("[,\\s]+"))
        .filter(part -> !part.isEmpty())
        .map(part -> parse(field, part))
        .toList();
  }

  private static InetAddress literal(String field, String text, String digits) {
    if (digits.indexOf(':') < 0 && !IPV4.matcher(digits).matches()) {
      throw notARange(field, text);
    }
    try {
      return InetAddress.ofLiteral(digits);
    } catch (IllegalArgumentException e) {
      throw notARange(field, text);
    }
  }

  private static IllegalArgumentException notARange(String field, String text) {
    return new IllegalArgumentException(
        "%s: %s is not a range of IP addresses; write ADDRESS/BITS, such as 10.9.0.0/24 or fd00::/8."
            .formatted(field, Parse.quoted(text)));
  }

  private static InetAddress first(InetAddress address, int bits) {
    byte[] bytes = address.getAddress();
    for (int bit = bits; bit < bytes.length * Byte.SIZE; bit++) {
      bytes[bit / Byte.SIZE] &= (byte) ~(0x80 >> bit % Byte.SIZE);
    }
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether an address is in this range. */
  public boolean contains(InetAddress other) {
    byte[] bytes = other.getAddress();
    return bytes.length == address.getAddress().length
        && Arrays.equals(first(other, bits).getAddress(), address.getAddress());
  }

  @Override
  public String toString() {
    return address.getHostAddress() + "/" + bits;
  }
}
