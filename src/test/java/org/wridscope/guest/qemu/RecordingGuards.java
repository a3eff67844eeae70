// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.Handover;

/** Guards that only note what they are told, and can be made to fail at a note. */
public final class RecordingGuards implements Guards {
  public final List<String> notes = new CopyOnWriteArrayList<>();
  private final Map<String, Step> steps = new ConcurrentHashMap<>();

  /** What the last one has to restore. */
  volatile @Nullable GuardedSettings settings;

  /** Sockets that were noted before they were created. */
  final List<Path> sockets = new CopyOnWriteArrayList<>();

  /** Where the other end can be asked; null if it cannot, or nobody has said so. */
  public volatile @Nullable Handover handover;

  volatile boolean closed;

  /** Something that is done at a note. */
  @FunctionalInterface
  public interface Step {
    void run() throws Exception;
  }

  /** Does something at a note. */
  public RecordingGuards at(String note, Step step) {
    steps.put(note, step);
    return this;
  }

  /** Fails at a note. */
  public static RecordingGuards failingAt(String note) {
    return new RecordingGuards()
        .at(
            note,
            () -> {
              throw new IOException("The guard is gone.");
            });
  }

  private void note(String note) throws IOException {
    notes.add(note);
    Step step = steps.get(note);
    if (step != null) {
      try {
        step.run();
      } catch (IOException | RuntimeException | Error e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }

  @Override
  public SourceGuard guardSource(GuardedQemu qemu, GuardedSettings before) throws IOException {
    note("guard source");
    settings = before;
    return new Source();
  }

  @Override
  public DestinationGuard guardDestination(GuardedQemu qemu, GuardedSettings before)
      throws IOException {
    note("guard destination");
    settings = before;
    return new Destination();
  }

  private abstract class Recording implements QemuGuard {
    @Override
    public void creating(Path socket) throws IOException {
      if (Files.exists(socket.getParent())) {
        throw new IOException(socket + " exists before it is noted.");
      }
      sockets.add(socket);
    }

    @Override
    public void takeOver() {
      notes.add("take over");
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private final class Source extends Recording implements SourceGuard {
    @Override
    public int openUserfault() throws IOException {
      throw new IOException("This guard opens nothing.");
    }

    @Override
    public void closeUserfault() {}

    @Override
    public void stopping() throws IOException {
      note("stopping");
    }

    @Override
    public void resumed() throws IOException {
      note("resumed");
    }

    @Override
    public void handingOver(Handover handover) throws IOException {
      RecordingGuards.this.handover = handover;
      note("handing over");
    }

    @Override
    public void handedOver() throws IOException {
      note("handed over");
    }

    @Override
    public void takenBack() throws IOException {
      note("taken back");
    }

    @Override
    public void settled() {
      notes.add("settled");
    }
  }

  private final class Destination extends Recording implements DestinationGuard {
    @Override
    public void connected(Handover handover) {
      RecordingGuards.this.handover = handover;
    }

    @Override
    public void restored() throws IOException {
      note("restored");
    }

    @Override
    public void kept() {
      notes.add("kept");
    }

    @Override
    public void loading() throws IOException {
      note("loading");
    }

    @Override
    public void loaded() throws IOException {
      note("loaded");
    }

    @Override
    public void switchingOver(boolean run) throws IOException {
      note("switching over");
    }

    @Override
    public void running() throws IOException {
      note("running");
    }
  }
}
