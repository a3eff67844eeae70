// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.MigrationStatus;

/** A guest whose RAM blocks change during a migration stays where it is. */
class RamLayoutTest {
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {3 * MIB, 2 * MIB, MIB};

  /** What happens to the blocks, and what the source says. */
  enum Change {
    ADDED(blocks -> with(blocks, 3, new RamBlock("hot", blocks.get(2).memory())), "hot was added"),
    ADDED_IN_FRONT(
        blocks -> with(blocks, 0, new RamBlock("hot", blocks.get(2).memory())), "hot was added"),
    REMOVED(blocks -> blocks.subList(0, 2), "block2 was removed"),
    FIRST_REMOVED(blocks -> blocks.subList(1, 3), "block0 was removed"),
    ALL_REMOVED(blocks -> List.of(), "block0 was removed"),
    REPLACED(
        blocks ->
            List.of(blocks.get(0), new RamBlock("hot", blocks.get(1).memory()), blocks.get(2)),
        "block1 was removed"),
    SWAPPED(
        blocks -> {
          var swapped = new ArrayList<>(blocks);
          Collections.swap(swapped, 0, 2);
          return swapped;
        },
        "block0 has another place"),
    SHRUNK(
        blocks ->
            List.of(
                blocks.get(0),
                new RamBlock("block1", blocks.get(1).memory().asSlice(0, MIB)),
                blocks.get(2)),
        "block1 has 1048576 bytes instead of 2097152"),
    MOVED(
        blocks ->
            List.of(
                blocks.get(0),
                blocks.get(1),
                new RamBlock("block2", blocks.get(1).memory().asSlice(0, MIB))),
        "block2 is at another address");

    private final UnaryOperator<List<RamBlock>> change;
    private final String says;

    Change(UnaryOperator<List<RamBlock>> change, String says) {
      this.change = change;
      this.says = says;
    }

    private static List<RamBlock> with(List<RamBlock> blocks, int at, RamBlock block) {
      var more = new ArrayList<>(blocks);
      more.add(at, block);
      return more;
    }
  }

  @ParameterizedTest
  @EnumSource(Change.class)
  void guestWhoseBlocksChange_staysAtTheSource(Change change) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.2);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      guest.onSync(sync -> {
        if (sync == 2) {
          guest.changeBlocks(change.change);
        } else if (sync < 5) {
          guest.write(0, 0, (byte) sync);
        }
      });
      rig.run(source, destination);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .contains(
              "The guest's RAM block " + change.says, "both ends have agreed", "migrate again");
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(guest.isRunning()).isTrue();
      assertThat(copy.isRunning()).isFalse();
    }
  }

  /** The list is another one, but has the same blocks. */
  @Test
  void guestThatHasTheSameBlocks_arrives() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.2);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      guest.onSync(sync -> {
        if (sync == 1) {
          guest.changeBlocks(ArrayList::new);
        }
      });
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
    }
  }
}
