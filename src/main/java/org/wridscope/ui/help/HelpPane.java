// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.help;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Label;
import javafx.scene.control.ListCell;
import javafx.scene.control.ListView;
import javafx.scene.control.ScrollPane;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.wridscope.control.SessionManager;
import org.wridscope.ui.Menus;

/** Pages of help, one of which is shown. For the JavaFX thread only. */
public final class HelpPane {
  /** The title of the page about words. */
  public static final String GLOSSARY = "Glossary";

  /** The title of the page about this program. */
  public static final String ABOUT = "About Wridscope";

  /** Lines of text longer than this are tiring to read. */
  private static final double WIDEST_TEXT = 620;

  private final SessionManager manager;
  private final Executor background;
  private final ListView<Topic> topics = new ListView<>();
  private final VBox page = new VBox();
  private final ScrollPane scroll = new ScrollPane(page);
  private final BorderPane root = new BorderPane(scroll);

  /**
   * @param manager knows the devices
   * @param background asks for them
   */
  public HelpPane(SessionManager manager, Executor background) {
    this.manager = manager;
    this.background = background;
    topics.setId("help-topics");
    topics.setAccessibleText("Pages of help");
    topics.setPrefWidth(170);
    topics.setMinWidth(Region.USE_PREF_SIZE);
    topics.getStyleClass().add("help-topics");
    topics.setCellFactory(_ -> new TitleCell());
    topics.getItems().addAll(ViewHelp.pages());
    topics.getItems().add(Glossary.page());
    topics.getItems().add(About.page("looking for them…"));
    topics
        .getSelectionModel()
        .selectedItemProperty()
        .subscribe(topic -> {
          if (topic != null) {
            write(topic);
          }
        });
    page.setId("help-page");
    page.getStyleClass().add("help-page");
    page.setMaxWidth(WIDEST_TEXT);
    scroll.setFitToWidth(true);
    scroll.getStyleClass().add("overview-scroll");
    Menus.install(root, () -> List.of(Menus.copy("this page", this::text)));
    root.setLeft(topics);
    root.getStyleClass().add("window-root");
  }

  public Parent node() {
    return root;
  }

  /** Shows a page; the first one if there is none with this title. */
  public void show(String title) {
    topics.getSelectionModel().selectFirst();
    topics.getItems().stream()
        .filter(topic -> topic.title().equals(title))
        .forEach(topics.getSelectionModel()::select);
    topics.scrollTo(topics.getSelectionModel().getSelectedIndex());
    background.execute(() -> {
      Topic about = About.page(About.devices(manager));
      Platform.runLater(() -> renew(about));
    });
  }

  private void renew(Topic about) {
    int last = topics.getItems().size() - 1;
    boolean shown = topics.getSelectionModel().getSelectedIndex() == last;
    topics.getItems().set(last, about);
    if (shown) {
      topics.getSelectionModel().select(last);
      write(about);
    }
  }

  private void write(Topic topic) {
    var heading = new Label(topic.title());
    heading.getStyleClass().add("dialog-title");
    List<Node> nodes = new ArrayList<>();
    nodes.add(heading);
    for (Topic.Entry entry : topic.entries()) {
      var name = new Label(entry.name());
      name.getStyleClass().add("explain-heading");
      var text = new Label(entry.text());
      text.setWrapText(true);
      text.setMinHeight(Region.USE_PREF_SIZE);
      name.setLabelFor(text);
      nodes.add(new VBox(name, text));
    }
    page.getChildren().setAll(nodes);
    scroll.setVvalue(0);
  }

  /** The page that is shown, as text. */
  private String text() {
    Topic topic = topics.getSelectionModel().getSelectedItem();
    return topic == null
        ? ""
        : topic.entries().stream()
            .map(entry -> "%s\n%s\n".formatted(entry.name(), entry.text()))
            .collect(Collectors.joining("\n", topic.title() + "\n\n", ""));
  }

  private static final class TitleCell extends ListCell<Topic> {
    @Override
    protected void updateItem(Topic topic, boolean empty) {
      super.updateItem(topic, empty);
      setText(empty || topic == null ? "" : topic.title());
    }
  }
}
