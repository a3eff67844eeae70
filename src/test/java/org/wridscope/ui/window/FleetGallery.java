// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.List;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.Scene;
import javafx.stage.Stage;
import org.wridscope.control.fleet.Fleet;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.ui.fleet.FleetPane;

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
    private final FakeVirt virt = new FakeVirt();
    private final Fleet fleet = new Fleet(virt);

    @Override
    public void start(Stage stage) {
      List<String> args = getParameters().getRaw();
      String theme = args.size() > 1 ? args.get(1) : "dark";
      double width = args.size() > 3 ? Double.parseDouble(args.get(2)) : 1000;
      double height = args.size() > 3 ? Double.parseDouble(args.get(3)) : 640;
      String suffix = "-" + theme + "-" + (int) width + ".png";
      var scene = new Scene(new FleetPane(fleet).node(), width, height);
      var _ = new Theme(Memories.withTheme(theme).choices()).apply(scene, (_, _) -> {});
      stage.setScene(scene);
      stage.show();
      new Script(stage, Path.of(args.getFirst()))
          .picture(1, "fleet-empty" + suffix)
          .after(0, this::connect)
          .picture(6, "fleet" + suffix)
          .after(0.2, Platform::exit)
          .run();
    }

    private void connect() {
      virt.host("qemu+ssh://node1/system", "node1").runs("web").runs("db").runs("mail");
      virt.host("qemu+ssh://node2/system", "node2").runs("build");
      FakeVirt.Host node3 = virt.host("qemu+ssh://node3/system", "node3");
      node3.fallSilent();
      for (int i = 1; i <= 4; i++) {
        fleet.connect(VirtUri.parse("qemu+ssh://node" + i + "/system"));
      }
    }

    @Override
    public void stop() {
      fleet.close();
    }
  }
}
