// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

final class ScriptedFaultsTest {

  /** The requests to which a fault applies, of a number of alternating SENDs and RDMA WRITEs. */
  private static List<Integer> met(FaultScript script, long seed, long run, int requests) {
    FaultPlan plan = new ScriptedFaults(script, seed, run);
    var met = new ArrayList<Integer>();
    for (int i = 0; i < requests; i++) {
      SendRequest.Opcode opcode =
          i % 2 == 0 ? SendRequest.Opcode.SEND : SendRequest.Opcode.RDMA_WRITE;
      if (!plan.decide(2, i, opcode, i).equals(Fault.PROCEED)) {
        met.add(i);
      }
    }
    return met;
  }

  private static FaultScript script(FaultRule... rules) {
    return new FaultScript(List.of(rules), 0, DeviceLimits.NONE);
  }

  @Test
  void once_meetsTheRequestOfItsKind() {
    assertThat(met(script(FaultRule.once(FaultRule.Kind.ANY, 3, Fault.CUT)), 1, 0, 20))
        .containsExactly(3);
    assertThat(met(script(FaultRule.once(FaultRule.Kind.SEND, 3, Fault.CUT)), 1, 0, 20))
        .containsExactly(6);
    assertThat(met(script(FaultRule.once(FaultRule.Kind.WRITE, 3, Fault.CUT)), 1, 0, 20))
        .containsExactly(7);
  }

  @Test
  void every_meetsEachSoMany_untilTheCountIsReached() {
    assertThat(
            met(
                script(new FaultRule(FaultRule.Kind.ANY, 2, false, 5, 3, 1, Fault.CUT, -1)),
                1,
                0,
                100))
        .containsExactly(2, 7, 12);
  }

  @Test
  void fromRun_movesOnWithTheRun_andOnlyRunIsOne() {
    FaultScript script = script(new FaultRule(FaultRule.Kind.ANY, 2, true, 1, 1, 1, Fault.CUT, -1));
    assertThat(met(script, 1, 0, 20)).containsExactly(2);
    assertThat(met(script, 1, 9, 20)).containsExactly(11);
    FaultScript other = script(new FaultRule(FaultRule.Kind.ANY, 2, false, 1, 1, 1, Fault.CUT, 4));
    assertThat(met(other, 1, 3, 20)).isEmpty();
    assertThat(met(other, 1, 4, 20)).containsExactly(2);
  }

  @Test
  void share_dependsOnTheSeedAlone() {
    FaultScript script =
        script(new FaultRule(FaultRule.Kind.ANY, 0, false, 1, Long.MAX_VALUE, 0.3, Fault.CUT, -1));
    List<Integer> met = met(script, 5, 0, 10_000);
    assertThat(met).hasSizeBetween(2_700, 3_300);
    assertThat(met(script, 5, 0, 10_000)).isEqualTo(met);
    assertThat(met(script, 6, 0, 10_000)).isNotEqualTo(met);
  }

  @Test
  void link_takesItsTime_andTheDeviceHasLess() {
    var plan =
        new ScriptedFaults(
            new FaultScript(List.of(), 1 << 20, new DeviceLimits(8, 1 << 20, 4)), 1, 0);
    assertThat(plan.wireNanos(1 << 20)).isEqualTo(1_000_000_000);
    assertThat(plan.wireNanos(0)).isZero();
    var most = new DeviceCapabilities(9, 512, 1024, 99, 1L << 40, 1 << 30);
    assertThat(plan.capabilities(most))
        .isEqualTo(new DeviceCapabilities(9, 8, 1024, 4, 1L << 40, 1 << 30));
    var none = new ScriptedFaults(FaultScript.NONE, 1, 0);
    assertThat(none.wireNanos(1 << 30)).isZero();
    assertThat(none.capabilities(most)).isEqualTo(most);
  }
}
