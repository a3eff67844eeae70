// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.TreeTableView;
import javafx.stage.Stage;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.settings.LastInputs;
import org.wridscope.ui.settings.Profiles;

/**
 * Takes pictures of the fleet with scripted hosts, for people to look at. Runs by hand, with the
 * test class path: {@code FleetGallery DIRECTORY [dark|light] [WIDTH HEIGHT]}.
 */
public final class FleetGallery {
  private FleetGallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private static final String CAPABILITIES =
        "<capabilities><uri_transport>rdma</uri_transport></capabilities>";
    private static final long MIB = 1L << 20;

    private final FakeVirt virt = new FakeVirt();
    private final FakeVirt.Host node1 =
        virt.host("qemu+ssh://node1/system", "node1")
            .capabilities(CAPABILITIES)
            .domainXml("<domain><memory unit='GiB'>1</memory></domain>")
            .runs("web")
            .runs("db")
            .runs("mail");

    @Override
    public void start(Stage stage) {
      List<String> args = getParameters().getRaw();
      String theme = args.size() > 1 ? args.get(1) : "dark";
      double width = args.size() > 3 ? Double.parseDouble(args.get(2)) : 1000;
      double height = args.size() > 3 ? Double.parseDouble(args.get(3)) : 640;
      String suffix = "-" + theme + "-" + (int) width + ".png";
      virt.host("qemu:///system", "node2").capabilities(CAPABILITIES).runs("build");
      virt.host("qemu+ssh://node3/system", "node3").fallSilent();
      Remembered remembered = Memories.withTheme(theme);
      var fleet =
          new FleetActions(
              stage,
              FakeSessionManager.idle(),
              Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory()),
              new LastInputs(remembered.state()),
              new Profiles(Remembered.inMemory().choices()),
              virt,
              (_, _, _) -> {},
              _ -> {});
      var scene = new Scene(fleet.pane().node(), width, height);
      var _ = new Theme(remembered.choices()).apply(scene, (_, _) -> {});
      stage.setScene(scene);
      stage.show();
      var script = new Script(stage, Path.of(args.getFirst())).picture(1, "fleet-empty" + suffix);
      for (String uri :
          List.of(
              "qemu+ssh://node1/system",
              "qemu:///system",
              "qemu+ssh://node3/system",
              "qemu+ssh://node4/system")) {
        script.after(0.1, () -> connect(uri));
      }
      script
          .picture(6, "fleet" + suffix)
          .after(0, () -> press("#fleet-evacuate", 0))
          .pictureOfDialog(4, "fleet-dialog" + suffix)
          .after(0, () -> Script.press("#dialog-accept"))
          .after(1, this::progress)
          .picture(1, "fleet-evacuating" + suffix)
          .after(0, () -> node1.arrive("web"))
          .picture(1, "fleet-evacuated" + suffix)
          .after(0.2, Platform::exit)
          .run();
    }

    @SuppressWarnings("unchecked")
    private static void connect(String uri) {
      ((ComboBox<String>) Script.node("#fleet-address")).getEditor().setText(uri);
      Script.press("#fleet-connect");
    }

    private static void press(String button, int row) {
      ((TreeTableView<?>) Script.node("#fleet-hosts")).getSelectionModel().clearAndSelect(row);
      ((Button) Script.node(button)).fire();
    }

    private void progress() {
      node1.progress(
          "web",
          Map.of(
              "memory_total",
              1024 * MIB,
              "memory_remaining",
              300 * MIB,
              "memory_iteration",
              2L,
              "downtime",
              180L));
    }
  }
}
