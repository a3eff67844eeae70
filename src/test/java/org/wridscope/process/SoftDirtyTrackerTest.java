// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** In the VM: its kernel has soft-dirty bits for sure. */
@Tag("kernel")
final class SoftDirtyTrackerTest extends WriteTrackerContract {

  @Override
  WriteTracker open(Target target, List<SharedRange> ranges, List<MemorySegment> shared)
      throws IOException {
    assumeTrue(SystemCall.X86_64, "kernels for aarch64 have no soft-dirty bits");
    return new SoftDirtyTracker(ranges);
  }
}
