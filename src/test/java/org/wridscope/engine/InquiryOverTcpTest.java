// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.Slow;

/** The source asks over TCP where the guest is. */
@Slow("inquiries over TCP, which takes real time")
@ExtendWith(OverTcp.class)
final class InquiryOverTcpTest extends InquiryTest {}
