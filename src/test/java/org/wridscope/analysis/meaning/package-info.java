// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.wridscope.analysis.meaning;

import org.jspecify.annotations.NullMarked;
