// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.Slow;

@Slow("it tracks processes of their own")
final class UserfaultTrackerTest extends WriteTrackerContract {

  @Override
  WriteTracker open(Target target, List<SharedRange> ranges, List<MemorySegment> shared)
      throws IOException {
    Machine.assumeUserfaultfd();
    int opened = UserfaultInjection.open(target.pid());
    Descriptor taken = Descriptor.take(target.pid(), opened);
    UserfaultInjection.close(target.pid(), opened);
    assertThat(target.isTraced()).isFalse();
    return new UserfaultTracker(ranges, taken);
  }

  @Test
  void whileItTracks_theMemoryIsWatched_andNotBefore() throws IOException {
    assertThat(target().hasUserfault()).isFalse();
    tracker().start();
    assertThat(target().hasUserfault()).isTrue();
  }
}
