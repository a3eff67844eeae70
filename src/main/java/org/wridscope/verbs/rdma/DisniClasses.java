// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.Arrays;
import java.util.Optional;

/**
 * Looks for DiSNI's classes on the class path. Its native calls must go through this program's
 * {@code NativeDispatcher}, which has the name of DiSNI's own and works without libdisni.
 */
public final class DisniClasses {
  static final String DISPATCHER = "com.ibm.disni.verbs.impl.NativeDispatcher";
  private static final String API = "com.ibm.disni.verbs.RdmaCm";

  private final ClassLoader loader;

  public DisniClasses(ClassLoader loader) {
    this.loader = loader;
  }

  public boolean present() {
    return has(API) && has(DISPATCHER);
  }

  /**
   * The location of DiSNI's own dispatcher if it comes before ours; empty if ours does. The class
   * itself is looked at: a class from a cache for fast starts names as its origin the place where
   * the cache was made, which may be another one.
   */
  public Optional<String> foreignDispatcher() {
    try {
      // Not initialised: DiSNI's own would load libdisni, which is not installed.
      Class<?> dispatcher = Class.forName(DISPATCHER, false, loader);
      boolean needsLibrary =
          Arrays.stream(dispatcher.getDeclaredMethods())
              .anyMatch(method -> Modifier.isNative(method.getModifiers()));
      return needsLibrary ? Optional.of(location()) : Optional.empty();
    } catch (ClassNotFoundException e) {
      return Optional.empty();
    }
  }

  private boolean has(String name) {
    try {
      Class.forName(name, false, loader);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private String location() {
    String file = DISPATCHER.replace('.', '/') + ".class";
    URL found = loader.getResource(file);
    return found == null
        ? "an unknown place"
        : found.toExternalForm().replaceFirst("^jar:", "").replaceFirst("!?/" + file + "$", "");
  }
}
