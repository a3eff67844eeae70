// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.text.Legible;
import org.wridscope.ui.remembered.StoredJson;

/** The inputs of dialogs that the user has saved under names. For the JavaFX thread only. */
public final class Profiles {
  private static final Logger LOG = LoggerFactory.getLogger(Profiles.class);
  private static final Gson GSON = new Gson();
  private static final int LONGEST_NAME = 60;

  /** More would make a menu hard to read. */
  private static final int MOST = 30;

  private final StoredJson store;

  public Profiles(StoredJson store) {
    this.store = store;
  }

  /** The names of the profiles of a dialog, in alphabetical order. */
  public List<String> names(DialogKind dialog) {
    return List.copyOf(all(dialog).keySet());
  }

  /** The profiles of a dialog by their names; what cannot be understood is left out. */
  private Map<String, Inputs> all(DialogKind dialog) {
    var profiles = new TreeMap<String, Inputs>(String.CASE_INSENSITIVE_ORDER);
    JsonObject stored = store.get(member(dialog), JsonObject.class);
    if (stored != null) {
      stored
          .asMap()
          .forEach((name, value) -> {
            Inputs inputs = read(value);
            if (inputs != null && isName(name) && profiles.size() < MOST) {
              profiles.put(name, inputs);
            }
          });
    }
    return profiles;
  }

  private static boolean isName(String name) {
    return !name.isEmpty() && name.equals(nameOf(name));
  }

  private static @Nullable Inputs read(JsonElement stored) {
    try {
      return GSON.fromJson(stored, Inputs.class);
    } catch (JsonParseException e) {
      LOG.info("a profile is ignored: {}", e.getMessage());
      return null;
    }
  }

  /** The name that a typed text stands for; empty if it stands for none. */
  static String nameOf(String typed) {
    String name = Legible.of(typed.strip());
    return name.substring(0, Math.min(name.length(), LONGEST_NAME)).strip();
  }

  /** Whether there is no room for another profile of a dialog. */
  boolean isFull(DialogKind dialog) {
    return all(dialog).size() >= MOST;
  }

  /** Whether a dialog has a profile of this name, whatever the case of its letters. */
  boolean has(DialogKind dialog, String name) {
    return all(dialog).containsKey(name);
  }

  /** Enters a profile into a form of its dialog. */
  void enter(String name, Form form) {
    Inputs inputs = all(DialogKind.of(form)).get(name);
    if (inputs != null) {
      form.enterProfile(inputs);
    }
  }

  /** Saves what a form contains; replaces the profile of that name. */
  void save(String name, Form form) {
    Inputs inputs = form.inputs();
    change(
        DialogKind.of(form),
        profiles -> {
          remove(profiles, name);
          add(profiles, name, inputs);
        });
  }

  /**
   * Gives a profile another name.
   *
   * @return whether another one does not have that name already; an empty name changes nothing
   */
  public boolean rename(DialogKind dialog, String name, String typed) {
    String newName = nameOf(typed);
    Map<String, Inputs> profiles = all(dialog);
    Inputs inputs = profiles.remove(name);
    if (inputs == null || newName.isEmpty()) {
      return true;
    }
    if (profiles.containsKey(newName)) {
      return false;
    }
    change(
        dialog,
        stored -> {
          remove(stored, name);
          add(stored, newName, inputs);
        });
    return true;
  }

  /**
   * Deletes a profile.
   *
   * @return puts it back
   */
  public Runnable delete(DialogKind dialog, String name) {
    Inputs inputs = all(dialog).get(name);
    change(dialog, profiles -> remove(profiles, name));
    return () -> {
      if (inputs != null && !has(dialog, name)) {
        change(dialog, profiles -> add(profiles, name, inputs));
      }
    };
  }

  /** Changes the profiles of a dialog; those that other windows have saved stay. */
  private void change(DialogKind dialog, Consumer<JsonObject> change) {
    String member = member(dialog);
    store.change(object -> {
      JsonObject profiles =
          object.get(member) instanceof JsonObject there ? there : new JsonObject();
      change.accept(profiles);
      object.add(member, profiles);
    });
  }

  private static void remove(JsonObject profiles, String name) {
    List.copyOf(profiles.keySet()).stream()
        .filter(name::equalsIgnoreCase)
        .forEach(profiles::remove);
  }

  private static void add(JsonObject profiles, String name, Inputs inputs) {
    profiles.add(name, GSON.toJsonTree(inputs));
  }

  private static String member(DialogKind dialog) {
    return Form.name(dialog) + "-profiles";
  }
}
