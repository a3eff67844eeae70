// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.InquiryAnswers;
import org.wridscope.guest.Handover;
import org.wridscope.process.Descriptor;
import org.wridscope.process.SharedSocket;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.protocol.MigrationId;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Addresses;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftNetwork;

/** The guard of a QEMU that waits for a guest. */
final class DestinationWatch implements Watch {
  /**
   * For how long to listen: a source notices the end of a destination after 15 s at the latest, and
   * then asks for 20 s; its guard asks for 60 s.
   */
  private static final Duration LISTEN = Duration.ofSeconds(75);

  private static final Duration SLICE = Duration.ofMillis(50);

  private static final int BACKLOG = 16;

  /** How far the migration is. */
  private enum Stage {
    WAITING,
    LOADING,
    LOADED,
    SWITCHING_OVER,
    RUNNING
  }

  private final QemuRepair repair;
  private final GuardLog log;
  private final Duration again;
  private Stage stage = Stage.WAITING;
  private boolean run = true;

  /** Whether the process has put everything back, so that only a source must be answered. */
  private boolean restored;

  /**
   * Where a source asks that waits for LOADED before it hands its guest over; null if none does.
   */
  private @Nullable Handover handover;

  /** Takes the socket at which it asks; null if there is none. */
  private SharedSocket.@Nullable Inbox inbox;

  private byte[] token = {};

  /**
   * @param again {@link InquiryAnswers#AGAIN}
   */
  DestinationWatch(QemuRepair repair, GuardLog log, Duration again) {
    this.repair = repair;
    this.log = log;
    this.again = again;
  }

  @Override
  public JsonObject take(Note note) throws IOException {
    switch (note.kind()) {
      case CONNECTED -> handover = note.handover();
      case LISTENING -> {
        inbox = new SharedSocket.Inbox();
        token = note.token();
        var answer = new JsonObject();
        answer.addProperty(Note.INBOX, inbox.name());
        return answer;
      }
      case LOADING -> stage = Stage.LOADING;
      case LOADED -> stage = Stage.LOADED;
      case SWITCHING_OVER -> {
        run = note.run();
        stage = Stage.SWITCHING_OVER;
      }
      case RUNNING -> stage = Stage.RUNNING;
      case RESTORED -> restored = true;
      default -> throw new IOException(note.kind() + " is no note about a destination");
    }
    return new JsonObject();
  }

  @Override
  public Ending finish() throws InterruptedException {
    return switch (stage) {
      case WAITING -> repair.restoredWaiting("Wridscope ended before a guest was loaded.");
      case LOADING -> {
        if (handover == null && repair.mayBeLoaded()) {
          yield giveUp();
        }
        yield ended(repair.end("Wridscope ended while a guest was being loaded."));
      }
      case LOADED -> giveUp();
      case SWITCHING_OVER -> start();
      case RUNNING -> settled("The guest was started.");
    };
  }

  private static Ending ended(boolean ended) {
    return ended ? Ending.RIGHT : Ending.FAILED;
  }

  private Ending giveUp() throws InterruptedException {
    if (handover == null) {
      Ending ending =
          repair.restored(
              false,
              "Wridscope ended before it started the guest. The source cannot be asked whether it"
                  + " still has it, so it is kept paused here: if it does not run there, start it"
                  + " ('cont').");
      return ending == Ending.RIGHT && !repair.hasEnded() ? Ending.UNDECIDED : ending;
    }
    if (!repair.end("Wridscope ended before the guest was handed over.")) {
      return Ending.FAILED;
    }
    answer(Outcome.NOT_STARTED);
    return Ending.RIGHT;
  }

  private Ending start() throws InterruptedException {
    if (!run) {
      return settled("The guest did not run at the source, and stays paused.");
    }
    return switch (repair.start("The guest was handed over.")) {
      case DONE -> settled("The guest was started.");
      case REFUSED -> {
        // The paused guest at the source is worth more than one that cannot be started.
        if (handover != null && repair.end("The guest cannot be started.")) {
          answer(Outcome.NOT_STARTED);
          yield Ending.RIGHT;
        }
        yield Ending.FAILED;
      }
      // It may have been started before the QEMU ended, so that no answer would be true.
      case FAILED -> repair.hasEnded() ? Ending.RIGHT : Ending.FAILED;
    };
  }

  /** Restores the settings of a QEMU that has the guest; a source is answered meanwhile. */
  private Ending settled(String why) throws InterruptedException {
    Thread answers =
        Thread.ofPlatform()
            .daemon()
            .name("answers")
            .start(() -> {
              try {
                answer(Outcome.RUNNING);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    Ending ending = restored ? Ending.RIGHT : repair.restored(false, why);
    answers.join();
    return ending;
  }

  private void answer(Outcome outcome) throws InterruptedException {
    Handover asked = handover;
    MigrationId migration = asked == null ? null : asked.migration();
    if (asked == null || migration == null) {
      return;
    }
    log.add(
        "A source that asks at %s is told %s, for %d s."
            .formatted(Addresses.text(asked.destination()), outcome, LISTEN.toSeconds()));
    long end = System.nanoTime() + LISTEN.toNanos();
    try (RdmaDevice device = GuardDevice.open(asked.device());
        ConnectionListener listener = listener(device, asked, end)) {
      var answers = new InquiryAnswers(listener, migration, asked.secret(), outcome);
      boolean _ =
          answers.answer(
              Duration.ofNanos(end - System.nanoTime()),
              again,
              false,
              () -> log.add("The source asked, and was told " + outcome + "."));
    } catch (IOException e) {
      log.add("A source that asks cannot be answered: " + e.getMessage());
    }
  }

  private ConnectionListener listener(RdmaDevice device, Handover asked, long end)
      throws IOException, InterruptedException {
    Descriptor passed = inbox == null ? null : inbox.take(token);
    return passed != null && device instanceof SoftDevice soft
        ? SoftNetwork.listen(soft, SharedSocket.channel(passed), BACKLOG)
        : listen(device, asked, end);
  }

  /**
   * Listens where the process listened that has ended; the kernel may need a moment for its end.
   */
  private static ConnectionListener listen(RdmaDevice device, Handover asked, long end)
      throws IOException, InterruptedException {
    while (true) {
      try {
        return device.listen(asked.destination(), BACKLOG);
      } catch (VerbsException e) {
        if (e.errno() != Errno.EADDRINUSE) {
          throw e;
        }
        if (System.nanoTime() > end) {
          throw new IOException(
              "%s is still in use".formatted(Addresses.text(asked.destination())), e);
        }
      }
      Thread.sleep(SLICE);
    }
  }
}
