// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import java.io.IOException;
import org.wridscope.text.Legible;

/**
 * libvirt refused a call, the connection has ended, or the library is not there. The message is a
 * legible sentence for the user.
 */
public final class VirtException extends IOException {

  /**
   * @param sentence what happened; may contain text of a stranger
   */
  public VirtException(String sentence) {
    super(asSentence(Legible.of(sentence.strip())));
  }

  /** Messages of libvirt have no full stop. */
  private static String asSentence(String text) {
    return text.isEmpty() || text.endsWith(".") ? text : text + ".";
  }

  /** The sentence. */
  public String sentence() {
    return String.valueOf(getMessage());
  }
}
