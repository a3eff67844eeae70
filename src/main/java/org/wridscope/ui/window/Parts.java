// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.concurrent.Executor;
import javafx.stage.Stage;
import org.wridscope.control.SessionManager;
import org.wridscope.ui.sessions.SessionsModel;

/**
 * What the actions of one main window have in common.
 *
 * @param stage the window
 * @param manager starts sessions
 * @param background runs work that may block
 * @param sessions the migrations in the list
 * @param tasks what runs in the background, for the user to see
 * @param notices the messages
 */
record Parts(
    Stage stage,
    SessionManager manager,
    Executor background,
    SessionsModel sessions,
    BackgroundTasks tasks,
    Notices notices) {}
