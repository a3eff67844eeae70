// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** With what bpftrace 0.17 and 0.27 say. */
final class BpftraceMessagesTest {

  private static String reason(String text) {
    var messages = new BpftraceMessages();
    text.lines().forEach(messages::add);
    return messages.reason();
  }

  @Test
  void theError_isTold_notWhatIsAroundIt() {
    assertThat(
            reason(
                """
                ERROR: Unknown error -1: couldn't set RLIMIT_MEMLOCK for bpftrace.
                stdin:2:1-9: WARNING: addr2str is slow
                Attaching 3 probes...
                stdin:3:35-47: ERROR: Undefined map: @polls
                END { clear(@polls);
                      ~~~~~~~~~~~~
                }
                """))
        .isEqualTo("Undefined map: @polls");
  }

  @Test
  void itsHint_isToldWithIt() {
    assertThat(
            reason(
                """
                WARNING: could not read kernel headers
                }
                ERROR: Could not resolve symbol: /lib/a.so:f
                HINT: Use --unsafe to force attachment.
                ERROR: Unable to attach probe
                """))
        .isEqualTo("Could not resolve symbol: /lib/a.so:f (Use --unsafe to force attachment.)");
  }

  @Test
  void withoutAnError_theFirstLineIsTold_andWarningsAreNone() {
    assertThat(reason("WARNING: slow\nKilled.\nmore\n")).isEqualTo("Killed");
    assertThat(reason("WARNING: slow\n\n")).isEqualTo("it gave no reason");
  }
}
