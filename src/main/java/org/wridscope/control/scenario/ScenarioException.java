// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.io.IOException;

/** A scenario cannot be read; the message is one sentence that says where and why. */
public final class ScenarioException extends IOException {
  private static final long serialVersionUID = 1L;

  ScenarioException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
