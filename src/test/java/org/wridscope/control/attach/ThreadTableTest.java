// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which process a thread belongs to. */
final class ThreadTableTest {
  /** Threads 10 to 19 belong to process 10, and so on. */
  private final ThreadTable threads = new ThreadTable(thread -> thread / 10 * 10);

  @Test
  void threads_areLookedUp_orAsTheTraceTells() {
    assertThat(threads.processOf(12)).isEqualTo(10);
    threads.begins(77, 12);
    threads.begins(78, 77);
    threads.begins(79, 0);
    assertThat(threads.processOf(77)).isEqualTo(10);
    assertThat(threads.processOf(78)).isEqualTo(10);
    assertThat(threads.processOf(79)).isEqualTo(79);
  }

  /** Numbers are used again. */
  @Test
  void aThreadThatBegins_replacesOneWithItsNumber() {
    assertThat(threads.processOf(12)).isEqualTo(10);
    threads.begins(12, 0);
    assertThat(threads.processOf(12)).isEqualTo(12);
  }
}
