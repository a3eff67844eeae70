// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was entered into a dialog, as it is stored: by names, so that another version can read it. A
 * file may lack any part.
 *
 * @param texts of fields, by the names of the fields
 * @param options whether each is chosen, by the names of the options
 * @param choice the kind of guest, or the engine
 */
public record Inputs(
    @Nullable Map<String, String> texts,
    @Nullable Map<String, Boolean> options,
    @Nullable String choice) {}
