// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.Slow;

/**
 * Every parser takes the kept inputs, and about a second of random changes of them, the same each
 * time. {@link Nightly} does this for hours.
 */
@Slow("every kept input of the fuzzer, and new ones")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FuzzTest {
  private static final long SEED = 20_261_122;
  private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
  private static final int INPUTS = 20_000;

  static List<FuzzTarget> targets() {
    return FuzzTargets.all();
  }

  @ParameterizedTest
  @MethodSource("targets")
  void noInput_breaksAParser(FuzzTarget target) throws Exception {
    List<byte[]> inputs = new ArrayList<>(target.seeds().get());
    inputs.addAll(Corpus.kept(target));
    var check = new Check(target);
    for (byte[] input : inputs) {
      accept(check, input);
    }
    assertThat(check.accepted()).as("accepted inputs").isPositive();
    var mutations = new Mutations(SEED, inputs);
    long begin = System.nanoTime();
    for (int i = 0; i < INPUTS && System.nanoTime() - begin < NANOS; i++) {
      accept(check, mutations.next());
    }
  }

  private static void accept(Check check, byte[] input) {
    try {
      check.accept(input);
    } catch (Throwable e) {
      throw new AssertionError("the input is " + HexFormat.of().formatHex(input), e);
    }
  }
}
