// SPDX-License-Identifier: Apache-2.0
/**
 * Files that users name: checks of input files, kinds and permissions of output files, and which
 * existing files may be replaced.
 */
@NullMarked
package org.wridscope.files;

import org.jspecify.annotations.NullMarked;
