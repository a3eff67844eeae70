// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ObjectProperty;
import javafx.beans.property.SimpleBooleanProperty;
import javafx.beans.property.SimpleObjectProperty;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.text.Legible;

/**
 * A JSON object in a file that several windows change. A change is made to what the file contains
 * when it is written, under a lock, so that windows keep each other's changes. For the JavaFX
 * thread, except the constructor and {@link #write}.
 */
public final class StoredJson {
  private static final Logger LOG = LoggerFactory.getLogger(StoredJson.class);
  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

  /** Much more than is ever written. */
  private static final long LARGEST = 1 << 20;

  /** Another window holds the lock only while it writes. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final Duration BETWEEN_TRIES = Duration.ofMillis(10);

  private final @Nullable Path file;
  private final Executor background;
  private final AtomicReference<@Nullable String> problem = new AtomicReference<>();
  private final List<Consumer<JsonObject>> unwritten = new ArrayList<>();
  private final JsonObject content;
  private final boolean usable;

  /** What is to be done when a member is forgotten, or put back, by its name. */
  private final Map<String, WeakReference<Runnable>> listeners = new HashMap<>();

  /**
   * Reads the file.
   *
   * @param file null to keep everything in memory
   * @param background writes the file
   */
  StoredJson(@Nullable Path file, Executor background) {
    this.file = file;
    this.background = background;
    JsonObject found = new JsonObject();
    boolean read = file != null;
    try {
      found = file == null ? found : read(file);
    } catch (IOException e) {
      // Nothing is written either: what is there now would be lost.
      read = false;
      problem.set(
          ("%s cannot be read (%s), so what the window should remember is forgotten when it"
                  + " closes.")
              .formatted(file, reason(e)));
    }
    content = found;
    usable = read;
  }

  /**
   * A member; null if it is missing, or is not of this type.
   *
   * @param type as Gson reads it; its members may be null
   */
  public <T> @Nullable T get(String name, Class<T> type) {
    try {
      return GSON.fromJson(content.get(name), type);
    } catch (JsonParseException e) {
      LOG.info("{} of {} is ignored: {}", name, file, e.getMessage());
      return null;
    }
  }

  /**
   * Sets a member.
   *
   * @param value as Gson writes it; must not change later
   */
  public void put(String name, Object value) {
    change(object -> object.add(name, GSON.toJsonTree(value)));
  }

  /**
   * Changes the object, now and once more in the file.
   *
   * @param change must not depend on anything but the object that it is given; runs twice
   */
  public void change(Consumer<JsonObject> change) {
    change.accept(content);
    if (usable) {
      synchronized (unwritten) {
        unwritten.add(change);
      }
      background.execute(this::write);
    }
  }

  /**
   * A choice between on and off, which is stored whenever it is made.
   *
   * @param usual what it is until it is made
   */
  public BooleanProperty flag(String name, boolean usual) {
    Boolean stored = get(name, Boolean.class);
    var flag = new SimpleBooleanProperty(this, name, stored == null ? usual : stored);
    flag.subscribe((_, now) -> put(name, now));
    return flag;
  }

  /**
   * A choice between the values of an enum, which is stored whenever it is made, by the name of the
   * value in lower case.
   *
   * @param usual what it is until it is made
   */
  public <E extends Enum<E>> ObjectProperty<E> choice(String name, E usual) {
    E stored = usual;
    String text = get(name, String.class);
    for (E known : EnumSet.allOf(usual.getDeclaringClass())) {
      if (known.name().equalsIgnoreCase(text)) {
        stored = known;
      }
    }
    var choice = new SimpleObjectProperty<E>(this, name, stored);
    choice.subscribe((_, now) -> put(name, now.name().toLowerCase(Locale.ROOT)));
    return choice;
  }

  /** Whether there is such a member. */
  public boolean has(String name) {
    return content.has(name);
  }

  /**
   * Removes members.
   *
   * @return puts them back as they were
   */
  public Runnable forget(List<String> names) {
    var kept = new JsonObject();
    for (String name : names) {
      JsonElement value = content.get(name);
      if (value != null) {
        kept.add(name, value.deepCopy());
      }
    }
    change(object -> names.forEach(object::remove));
    tell(names);
    return () -> {
      change(object -> kept.asMap().forEach((name, value) -> object.add(name, value.deepCopy())));
      tell(names);
    };
  }

  private void tell(List<String> names) {
    for (String name : names) {
      WeakReference<Runnable> reference = listeners.get(name);
      Runnable listener = reference == null ? null : reference.get();
      if (listener != null) {
        listener.run();
      }
    }
  }

  /**
   * Runs an action, one for each member, whenever the member was forgotten or put back.
   *
   * @param action is kept by its owner, so that a closed window does not stay in memory
   */
  public void onForget(String name, Runnable action) {
    listeners.put(name, new WeakReference<>(action));
  }

  /** The file; null if everything is kept in memory. */
  public @Nullable Path file() {
    return file;
  }

  /** What went wrong since the last call, a sentence; null if nothing did. */
  @Nullable String takeProblem() {
    return problem.getAndSet(null);
  }

  /** Writes what is not written yet; from any thread. */
  synchronized void write() {
    List<Consumer<JsonObject>> changes;
    synchronized (unwritten) {
      changes = List.copyOf(unwritten);
      unwritten.clear();
    }
    if (file == null || changes.isEmpty()) {
      return;
    }
    try {
      makeFolder(file);
      try (FileChannel guard =
              FileChannel.open(
                  file.resolveSibling("." + file.getFileName() + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock _ = lock(guard)) {
        JsonObject now = read(file);
        changes.forEach(change -> change.accept(now));
        replace(file, now);
      }
    } catch (IOException e) {
      LOG.warn("{} cannot be written: {}", file, e.toString());
      problem.set(
          "%s cannot be written (%s), so the window forgets this when it closes."
              .formatted(file, reason(e)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void makeFolder(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      // As the XDG specification says: for nobody else.
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
  }

  private static FileLock lock(FileChannel guard) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    do {
      try {
        FileLock lock = guard.tryLock();
        if (lock != null) {
          return lock;
        }
      } catch (OverlappingFileLockException e) {
        LOG.debug("another window of this process writes", e);
      }
      TimeUnit.NANOSECONDS.sleep(BETWEEN_TRIES.toNanos());
    } while (System.nanoTime() < end);
    throw new IOException("another window has locked it for %d s".formatted(PATIENCE.toSeconds()));
  }

  /** Writes a new file, which takes the place of the old one when it is on the disk. */
  private static void replace(Path file, JsonObject content) throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(GSON.toJson(content) + "\n");
    if (bytes.remaining() > LARGEST) {
      throw new IOException("it would be larger than 1 MiB");
    }
    // A link to a file elsewhere stays one.
    Path target = Files.exists(file) ? file.toRealPath() : file;
    Path fresh = Files.createTempFile(target.resolveSibling("."), "." + file.getFileName(), "");
    try {
      try (FileChannel out = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
        while (bytes.hasRemaining()) {
          int _ = out.write(bytes);
        }
        out.force(true);
      }
      Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** The content of the file; an empty object if there is none, or none that can be understood. */
  private JsonObject read(Path from) throws IOException {
    if (!Files.exists(from, LinkOption.NOFOLLOW_LINKS)) {
      return new JsonObject();
    }
    if (!Files.isRegularFile(from)) {
      throw new IOException("it is not a file");
    }
    if (Files.size(from) > LARGEST) {
      return keepAside(from, "is larger than 1 MiB");
    }
    try {
      JsonElement root = JsonParser.parseString(Files.readString(from));
      return root.isJsonObject()
          ? root.getAsJsonObject()
          : keepAside(from, "does not contain a JSON object");
    } catch (JsonParseException | CharacterCodingException e) {
      LOG.debug("{}", from, e);
      return keepAside(from, "is not valid JSON");
    }
  }

  private JsonObject keepAside(Path from, String why) throws IOException {
    Path kept = aside(from);
    problem.set(
        "%s %s. It is kept as %s, and the window begins without it."
            .formatted(from, why, kept.getFileName()));
    return new JsonObject();
  }

  private static Path aside(Path from) throws IOException {
    for (int number = 1; ; number++) {
      Path kept =
          from.resolveSibling(
              from.getFileName() + ".unreadable" + (number == 1 ? "" : "-" + number));
      try {
        return Files.move(from, kept);
      } catch (FileAlreadyExistsException e) {
        LOG.debug("{} is taken", kept, e);
      }
    }
  }

  private static String reason(IOException e) {
    String message = e.getMessage();
    return Legible.of(
        e instanceof AccessDeniedException
            ? "permission denied"
            : message == null ? e.getClass().getSimpleName() : message);
  }
}
