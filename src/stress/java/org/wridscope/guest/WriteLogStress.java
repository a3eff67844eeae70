// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.Arena;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;

/** A page that was fetched is either copied with the write or marked again. */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "fetched, and copied with the write")
@Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "copied with the write, marked later")
@Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "copied before the write, marked later")
@Outcome(expect = Expect.FORBIDDEN, desc = "the write is lost")
@State
public class WriteLogStress {
  private static final RamBlock BLOCK =
      new RamBlock("pc.ram", Arena.global().allocate(RamBlock.PAGE_SIZE, RamBlock.PAGE_SIZE));

  private final WriteLog log = new WriteLog(List.of(BLOCK), 0, () -> {});

  /** Stands for the content of the page. */
  private int page;

  public WriteLogStress() {
    log.cover(0, 1);
    log.start();
  }

  @Actor
  public void guest() {
    page = 1;
    log.mark(0);
  }

  @Actor
  public void migration(III_Result r) {
    r.r1 = fetch();
    r.r2 = page;
  }

  @Arbiter
  public void nextRound(III_Result r) {
    r.r3 = fetch();
  }

  private int fetch() {
    var dirty = new DirtyBitmap(1);
    log.fetchAndClear(0, dirty);
    return dirty.get(0) ? 1 : 0;
  }
}
