// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.Inquiry;
import org.wridscope.guest.Handover;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.common.Addresses;

/** The guard of a QEMU whose guest leaves. */
final class SourceWatch implements Watch {
  private static final Duration CONNECT = Duration.ofSeconds(10);

  /**
   * For how long to ask: a destination notices the end of a source after 15 s at the latest, and
   * then answers for 20 s.
   */
  private static final Duration ASK = Duration.ofSeconds(60);

  private final QemuRepair repair;
  private final OpenedUserfault userfault;
  private final GuardLog log;

  /** Whether the process may have stopped the guest, which ran. */
  private boolean stopping;

  /** Whom to ask; null while the guest belongs to the source. */
  private @Nullable Handover handover;

  /** Whether the destination has the guest. */
  private boolean gone;

  SourceWatch(QemuRepair repair, OpenedUserfault userfault, GuardLog log) {
    this.repair = repair;
    this.userfault = userfault;
    this.log = log;
  }

  @Override
  public JsonObject take(Note note) throws IOException {
    switch (note.kind()) {
      case OPEN_USERFAULT -> {
        var answer = new JsonObject();
        answer.addProperty(Note.DESCRIPTOR, userfault.open());
        return answer;
      }
      case CLOSE_USERFAULT -> userfault.close();
      case STOPPING -> stopping = true;
      case RESUMED -> stopping = false;
      case HANDING_OVER -> handover = note.handover();
      case HANDED_OVER -> gone = true;
      case TAKEN_BACK -> handover = null;
      default -> throw new IOException(note.kind() + " is no note about a source");
    }
    return new JsonObject();
  }

  @Override
  public Ending finish() throws InterruptedException {
    try {
      userfault.close();
    } catch (IOException e) {
      log.add("A userfaultfd is left open in %s: %s".formatted(repair.name(), e.getMessage()));
    }
    Handover to = handover;
    if (gone) {
      return repair.restored(false, "The destination has the guest; it stays paused here.");
    }
    if (to == null) {
      return repair.restored(stopping, "Wridscope ended before the guest was handed over.");
    }
    log.add(
        "Wridscope ended while it handed the guest of %s over; %s is asked whether it started it."
            .formatted(repair.name(), Addresses.text(to.destination())));
    Answer answer = ask(to);
    return switch (answer.outcome) {
      case NOT_STARTED ->
          repair.restored(stopping, "The destination says that it did not start the guest.");
      case RUNNING -> repair.restored(false, "The destination says that it started the guest.");
      case UNKNOWN -> {
        Ending ending =
            repair.restored(
                false,
                answer.doubt
                    + "It is unknown whether the destination started the guest, so it is kept"
                    + " paused here; check the destination before you start it again ('cont').");
        yield ending == Ending.RIGHT && !repair.hasEnded() ? Ending.UNDECIDED : ending;
      }
    };
  }

  /**
   * What the destination says.
   *
   * @param doubt why it is unknown, sentences with a space at the end; empty if there is no answer
   */
  private record Answer(Outcome outcome, String doubt) {}

  private static Answer unknown(String why) {
    return new Answer(Outcome.UNKNOWN, why.isEmpty() ? "" : why.strip() + " ");
  }

  private static Answer ask(Handover to) throws InterruptedException {
    if (to.migration() == null) {
      return unknown("The destination is not a Wridscope and cannot be asked.");
    }
    try (RdmaDevice device = GuardDevice.open(to.device())) {
      var inquiry = new Inquiry(device, to, CONNECT, ASK);
      Inquiry.Reply reply = inquiry.ask();
      return reply.outcome() == Outcome.UNKNOWN
          ? unknown(inquiry.doubt(reply))
          : new Answer(reply.outcome(), "");
    } catch (IOException e) {
      return unknown("The destination cannot be asked: %s.".formatted(e.getMessage()));
    }
  }
}
