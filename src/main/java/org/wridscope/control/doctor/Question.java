// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationUri;

/**
 * The migration that the checks are made for.
 *
 * @param ramBytes RAM of the guest
 * @param uri address of the destination; null to skip the check of the address
 */
public record Question(long ramBytes, @Nullable MigrationUri uri) {}
