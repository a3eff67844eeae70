// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;

/** Whole migrations that succeed, over TCP. */
@ExtendWith(OverTcp.class)
final class MigrationOverTcpTest extends MigrationTest {}
