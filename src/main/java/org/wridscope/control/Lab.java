// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/** The two sessions of a lab migration. */
public record Lab(Session source, Session destination) {}
