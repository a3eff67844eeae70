// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import javafx.application.Platform;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.control.Labeled;
import javafx.util.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the keyboard focus of a window where it was used. When a control is disabled, hidden or
 * removed while it has the focus, JavaFX focuses the next control or the first one of the window,
 * so that Space and Enter press what the user did not choose. Here the focus stays beside a control
 * that is disabled, and returns to it; of a control that was made anew it goes to the new one;
 * otherwise it goes to the picture, table or list that had it last, or to the nearest one.
 */
public final class KeyboardKeeper {
  /** What takes keys and does nothing by Space or Enter that cannot be taken back. */
  private static final Set<AccessibleRole> HARMLESS =
      Set.of(
          AccessibleRole.IMAGE_VIEW,
          AccessibleRole.LIST_VIEW,
          AccessibleRole.TAB_PANE,
          AccessibleRole.TABLE_VIEW,
          AccessibleRole.TREE_TABLE_VIEW,
          AccessibleRole.TREE_VIEW);

  private static final int MOST_KNOWN = 16;

  private final Scene scene;

  /** What had the focus, the newest first. */
  private final Deque<WeakReference<Node>> known = new ArrayDeque<>();

  /** What the focus owner is in, the nearest first. */
  private List<Parent> around = List.of();

  /** How many nodes look like the focus owner, which is among them. */
  private int twins;

  /** Its place among them, from 0. */
  private int place;

  /** What had the focus when JavaFX took it; null when that has been seen to. */
  private @Nullable Node taken;

  private Subscription held = Subscription.EMPTY;

  private KeyboardKeeper(Scene scene) {
    this.scene = scene;
  }

  /** Keeps the focus of a window from now on. */
  public static void install(Scene scene) {
    var keeper = new KeyboardKeeper(scene);
    scene.focusOwnerProperty().subscribe(keeper::changed);
  }

  private void changed(@Nullable Node before, @Nullable Node now) {
    held.unsubscribe();
    if (now == null) {
      // So begins what JavaFX does; a focus that is asked for goes from one node to another.
      taken = before;
      Platform.runLater(this::keep);
    } else if (taken == null) {
      used(now);
    }
  }

  private void used(Node now) {
    known.removeIf(each -> each.refersTo(now));
    known.addFirst(new WeakReference<>(now));
    if (known.size() > MOST_KNOWN) {
      known.removeLast();
    }
    var parents = new ArrayList<Parent>();
    for (Parent at = now.getParent(); at != null; at = at.getParent()) {
      parents.add(at);
    }
    around = parents;
    List<Node> same = find(scene.getRoot(), node -> isTwin(node, now));
    twins = same.size();
    place = same.indexOf(now);
  }

  private void keep() {
    Node lost = taken;
    taken = null;
    if (lost == null || canBeFocused(lost)) {
      return;
    }
    List<Parent> places = around.stream().filter(this::canBeFocused).toList();
    if (scene.equals(lost.getScene()) && Presence.isSeen(lost)) {
      hold(lost, places.isEmpty() ? scene.getRoot() : places.getFirst());
    } else {
      other(lost, places).requestFocus();
    }
  }

  /** Keeps the focus beside a control that is disabled, until that can have it again. */
  private void hold(Node lost, Node beside) {
    beside.requestFocus();
    held =
        lost.disabledProperty()
            .subscribe(disabled -> {
              if (!disabled && beside.isFocused() && canBeFocused(lost)) {
                lost.requestFocus();
              }
            });
  }

  private Node other(Node lost, List<Parent> places) {
    List<Node> same = find(scene.getRoot(), node -> isTwin(node, lost) && canBeFocused(node));
    // With fewer than before, it is not among them.
    if (!same.isEmpty() && same.size() >= twins) {
      return same.get(Math.clamp(place, 0, same.size() - 1));
    }
    for (WeakReference<Node> each : known) {
      Node before = each.get();
      if (before != null && isHarmless(before)) {
        return before;
      }
    }
    for (Parent each : places) {
      List<Node> near = find(each, this::isHarmless);
      if (!near.isEmpty()) {
        return near.getFirst();
      }
    }
    return scene.getRoot();
  }

  private boolean isHarmless(Node node) {
    return HARMLESS.contains(node.getAccessibleRole())
        && node.isFocusTraversable()
        && canBeFocused(node);
  }

  private boolean canBeFocused(Node node) {
    return scene.equals(node.getScene()) && !node.isDisabled() && Presence.isSeen(node);
  }

  /** Whether two controls are the same for who uses them. */
  private static boolean isTwin(Node one, Node other) {
    return one.getClass() == other.getClass()
        && one.isFocusTraversable()
        && Objects.equals(one.getId(), other.getId())
        && Objects.equals(one.getAccessibleText(), other.getAccessibleText())
        && Objects.equals(text(one), text(other));
  }

  private static @Nullable String text(Node node) {
    return node instanceof Labeled labeled ? labeled.getText() : null;
  }

  private static List<Node> find(Node from, Predicate<Node> wanted) {
    var found = new ArrayList<Node>();
    find(from, wanted, found);
    return found;
  }

  private static void find(Node from, Predicate<Node> wanted, List<Node> found) {
    if (wanted.test(from)) {
      found.add(from);
    }
    if (from instanceof Parent parent) {
      parent.getChildrenUnmodifiable().forEach(child -> find(child, wanted, found));
    }
  }
}
