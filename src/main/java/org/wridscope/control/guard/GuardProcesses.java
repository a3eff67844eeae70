// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.StateFolder;
import org.wridscope.guest.Handover;
import org.wridscope.guest.qemu.DestinationGuard;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.Guards;
import org.wridscope.guest.qemu.SourceGuard;

/**
 * Starts guards as processes of this program.
 *
 * @param log the file to which they write what they did
 */
public record GuardProcesses(Path log) implements Guards {

  /** Guards that write to {@code guard.log} in the state directory of this process's user. */
  public static GuardProcesses ofUser() {
    return new GuardProcesses(StateFolder.ofUser().resolve("guard.log"));
  }

  @Override
  public SourceGuard guardSource(GuardedQemu qemu, GuardedSettings before) throws IOException {
    return new Source(GuardProcess.start(log, Note.of(Note.Kind.SOURCE, qemu, before)));
  }

  @Override
  public DestinationGuard guardDestination(GuardedQemu qemu, GuardedSettings before)
      throws IOException {
    return new Destination(GuardProcess.start(log, Note.of(Note.Kind.DESTINATION, qemu, before)));
  }

  private record Source(GuardProcess guard) implements SourceGuard {
    @Override
    public int openUserfault() throws IOException {
      return guard.tell(Note.of(Note.Kind.OPEN_USERFAULT)).get(Note.DESCRIPTOR).getAsInt();
    }

    @Override
    public void closeUserfault() throws IOException {
      guard.tell(Note.of(Note.Kind.CLOSE_USERFAULT));
    }

    @Override
    public void handingOver(Handover handover) throws IOException {
      guard.tell(Note.of(Note.Kind.HANDING_OVER, handover));
    }

    @Override
    public void handedOver() throws IOException {
      guard.tell(Note.of(Note.Kind.HANDED_OVER));
    }

    @Override
    public void takenBack() throws IOException {
      guard.tell(Note.of(Note.Kind.TAKEN_BACK));
    }

    @Override
    public void takeOver() {
      guard.takeOver();
    }

    @Override
    public void close() {
      guard.close();
    }
  }

  private record Destination(GuardProcess guard) implements DestinationGuard {
    @Override
    public void loading() throws IOException {
      guard.tell(Note.of(Note.Kind.LOADING));
    }

    @Override
    public void loaded(@Nullable Handover handover) throws IOException {
      guard.tell(
          handover == null ? Note.of(Note.Kind.LOADED) : Note.of(Note.Kind.LOADED, handover));
    }

    @Override
    public void switchingOver(boolean run) throws IOException {
      guard.tell(Note.switchingOver(run));
    }

    @Override
    public void running() throws IOException {
      guard.tell(Note.of(Note.Kind.RUNNING));
    }

    @Override
    public void close() {
      guard.close();
    }
  }
}
