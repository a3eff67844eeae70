// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;

/** The source asks over TCP where the guest is. */
@ExtendWith(OverTcp.class)
final class InquiryOverTcpTest extends InquiryTest {}
