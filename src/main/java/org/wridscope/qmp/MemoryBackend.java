// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a guest, as QEMU made it.
 *
 * @param id of the object below {@code /objects}; printable ASCII
 * @param type for example {@code memory-backend-file} or {@code memory-backend-memfd}
 * @param size in bytes
 * @param share whether its pages are shared with other processes that map it
 * @param memPath its file, or the directory in which its unnamed file was made; null for a back end
 *     without a path
 */
public record MemoryBackend(
    String id, String type, long size, boolean share, @Nullable Path memPath) {}
