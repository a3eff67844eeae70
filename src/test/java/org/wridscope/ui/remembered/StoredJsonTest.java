// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ObjectProperty;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class StoredJsonTest {
  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("wridscope").resolve("settings.json");
  }

  private StoredJson open() {
    return new StoredJson(file, Runnable::run);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(file.resolveSibling("."))) {
      return all.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  private JsonObject written() throws IOException {
    return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
  }

  @Test
  void whatWasPut_isThereForTheNextWindow_inAFolderForThisUserAlone() throws IOException {
    StoredJson first = open();
    assertThat(first.get("theme", String.class)).isNull();
    assertThat(file).doesNotExist();
    first.put("theme", "dark");
    assertThat(first.get("theme", String.class)).isEqualTo("dark");
    assertThat(open().get("theme", String.class)).isEqualTo("dark");
    assertThat(names()).containsExactly(".settings.json.lock", "settings.json");
    assertThat(Files.getPosixFilePermissions(file.getParent())).hasSize(3);
    assertThat(first.takeProblem()).isNull();
  }

  @Test
  void twoWindows_keepWhatTheOtherHasWritten() throws IOException {
    StoredJson first = open();
    StoredJson second = open();
    first.put("theme", "dark");
    second.put("compact", true);
    first.put("group", "host");
    assertThat(written().keySet()).containsExactlyInAnyOrder("theme", "compact", "group");
  }

  @Test
  void whatIsForgotten_isGoneFromTheFile_andIsPutBackAsItWas() throws IOException {
    StoredJson store = open();
    store.put("theme", "dark");
    store.put("group", "host");
    var told = new ArrayList<Boolean>();
    Runnable listener = () -> told.add(store.has("theme"));
    store.onForget("theme", listener);
    try {
      Runnable back = store.forget(List.of("theme", "never-there"));
      assertThat(written().keySet()).containsExactly("group");
      open().put("compact", true);
      back.run();
      assertThat(written().keySet()).containsExactlyInAnyOrder("group", "compact", "theme");
      assertThat(open().get("theme", String.class)).isEqualTo("dark");
      assertThat(told).containsExactly(false, true);
    } finally {
      Reference.reachabilityFence(listener);
    }
  }

  private enum Group {
    NONE,
    HOST
  }

  @Test
  void choices_startAsStored_andAreStoredWhenMade() {
    open().put("group", "nonsense");
    StoredJson store = open();
    ObjectProperty<Group> group = store.choice("group", Group.NONE);
    BooleanProperty compact = store.flag("compact", true);
    assertThat(group.get()).isEqualTo(Group.NONE);
    assertThat(compact.get()).isTrue();
    assertThat(store.has("compact")).isFalse();
    group.set(Group.HOST);
    compact.set(false);
    assertThat(open().choice("group", Group.NONE).get()).isEqualTo(Group.HOST);
    assertThat(open().flag("compact", true).get()).isFalse();
  }

  @Test
  void whatWouldBeTooLargeToBeReadAgain_isNotWritten() throws IOException {
    StoredJson store = open();
    store.put("theme", "dark");
    store.put("long", "x".repeat(1 << 20));
    assertThat(store.takeProblem()).contains("it would be larger than 1 MiB");
    assertThat(written().keySet()).containsExactly("theme");
  }

  @Test
  void manyWindowsAtOnce_loseNothing() throws Exception {
    try (ExecutorService background = Executors.newFixedThreadPool(4)) {
      var windows = new ArrayList<StoredJson>();
      for (int i = 0; i < 4; i++) {
        windows.add(new StoredJson(file, background));
      }
      for (int i = 0; i < 25; i++) {
        for (int window = 0; window < 4; window++) {
          windows.get(window).put("w" + window + "-" + i, i);
        }
      }
      windows.forEach(StoredJson::write);
    }
    assertThat(written().size()).isEqualTo(100);
  }

  static Stream<byte[]> unreadable() {
    return Stream.of(
        new byte[0],
        "{\"theme\": \"da".getBytes(StandardCharsets.UTF_8),
        "[1, 2]".getBytes(StandardCharsets.UTF_8),
        new byte[] {'"', (byte) 0xff, (byte) 0xfe, '"'},
        "[".repeat(100_000).getBytes(StandardCharsets.UTF_8),
        " ".repeat((1 << 20) + 1).getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @MethodSource("unreadable")
  void anUnreadableFile_isKeptAside_andSaidOnce(byte[] content) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    StoredJson store = open();
    assertThat(store.takeProblem())
        .startsWith(file + " ")
        .endsWith("It is kept as settings.json.unreadable, and the window begins without it.");
    assertThat(store.takeProblem()).isNull();
    assertThat(file.resolveSibling("settings.json.unreadable")).hasBinaryContent(content);
    store.put("theme", "dark");
    assertThat(open().get("theme", String.class)).isEqualTo("dark");
    Files.write(file, content);
    assertThat(open().takeProblem()).contains("settings.json.unreadable-2");
    assertThat(file.resolveSibling("settings.json.unreadable")).hasBinaryContent(content);
  }

  @Test
  void aMemberOfAnotherType_isIgnored() throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "{\"theme\": {\"a\": 1}, \"place\": \"left\", \"kept\": [1e999]}");
    StoredJson store = open();
    assertThat(store.get("theme", String.class)).isNull();
    assertThat(store.get("place", JsonObject.class)).isNull();
    store.put("theme", "dark");
    assertThat(written().keySet()).contains("place", "kept");
    assertThat(store.takeProblem()).isNull();
  }

  @Test
  void whatIsNoFile_isLeftAlone_andSaidOnce() throws IOException {
    Files.createDirectories(file);
    StoredJson store = open();
    assertThat(store.takeProblem()).contains("cannot be read (it is not a file)");
    store.put("theme", "dark");
    assertThat(file).isEmptyDirectory();
    assertThat(store.get("theme", String.class)).isEqualTo("dark");
    assertThat(store.takeProblem()).isNull();
  }

  @Test
  void aFolderThatCannotBeMade_isSaid_andTheWindowGoesOn() throws IOException {
    Files.writeString(directory.resolve("wridscope"), "in the way");
    StoredJson store = open();
    store.put("theme", "dark");
    assertThat(store.takeProblem()).contains("cannot be written");
    assertThat(store.get("theme", String.class)).isEqualTo("dark");
  }

  @Test
  void aLink_staysOne() throws IOException {
    Path elsewhere = Files.writeString(directory.resolve("dotfiles.json"), "{}");
    Files.createDirectories(file.getParent());
    Files.createSymbolicLink(file, elsewhere);
    open().put("theme", "dark");
    assertThat(file).isSymbolicLink();
    assertThat(elsewhere).content().contains("dark");
  }
}
