// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationUri;

/**
 * What the doctor is asked about.
 *
 * @param ramBytes RAM of the guest that is to be migrated
 * @param uri where it is to be migrated to or where it is waited for; null when that does not
 *     matter
 */
public record Question(long ramBytes, @Nullable MigrationUri uri) {}
