// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;

/** What answers are made of. */
final class Json {
  /** Names members as QEMU does. */
  static final Gson GSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_DASHES)
          .disableHtmlEscaping()
          .create();

  private Json() {}

  /** The answer to a command that only does something. */
  static JsonObject nothing() {
    return new JsonObject();
  }

  /** An object with one member. */
  static JsonObject of(String member, String value) {
    var object = new JsonObject();
    object.addProperty(member, value);
    return object;
  }

  /** An object with one member. */
  static JsonObject of(String member, Number value) {
    var object = new JsonObject();
    object.addProperty(member, value);
    return object;
  }
}
