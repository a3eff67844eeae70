// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.VerbsException;

/** Deregistering waits for a transfer that has begun, and none begins afterwards. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "transferred, and waited for")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "deregistered before the transfer")
@Outcome(expect = Expect.FORBIDDEN, desc = "a transfer after deregistering")
@State
public class MemoryRegionStress {
  private static final MemorySegment MEMORY = Arena.global().allocate(64);
  private static final SoftDevice DEVICE = new SoftFabric().open("stress");
  private static final SoftProtectionDomain DOMAIN = domain();

  private final SoftMemoryRegion region = region();
  private int transferred;

  private static SoftProtectionDomain domain() {
    try {
      return (SoftProtectionDomain) DEVICE.allocateProtectionDomain();
    } catch (VerbsException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static SoftMemoryRegion region() {
    try {
      return (SoftMemoryRegion) DOMAIN.register(MEMORY, EnumSet.allOf(Access.class));
    } catch (VerbsException e) {
      throw new IllegalStateException(e);
    }
  }

  @Actor
  public void device(II_Result r) {
    SoftMemoryRegion found = DEVICE.keys().remote(region.remoteKey());
    int right = Access.REMOTE_WRITE.bit();
    if (found != null
        && SoftMemoryRegion.acquire(found, DOMAIN, found.address(), 8, right) == VendorError.NONE) {
      transferred = 1;
      r.r1 = 1;
      found.release();
    }
  }

  @Actor
  public void owner(II_Result r) {
    try {
      region.close();
      r.r2 = transferred;
    } catch (VerbsException e) {
      r.r2 = -1;
    }
  }
}
