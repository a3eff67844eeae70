// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.help;

import java.util.List;

/** What each view shows, how its figures are measured, and its keys. */
final class ViewHelp {
  private static final String TIME_KEYS =
      "The wheel zooms at the pointer; dragging moves the time, which then holds; dragging with"
          + " Shift chooses a range for all views. A double click follows again. Ctrl+0 shows"
          + " the whole time.";

  private ViewHelp() {}

  /** A page for each view; its title is that of the view. */
  static List<Topic> pages() {
    return List.of(
        Topic.of(
            "Overview",
            "What it shows",
            "The stages of the migration, its figures, and small versions of other views. It"
                + " answers how far the migration is, how fast, whether it will end, and what"
                + " holds it up.",
            "How it is measured",
            "The engine counts bytes, pages and waits while it works; the window reads these"
                + " counters fifty times a second. Throughput is an average of the last second,"
                + " or of the whole migration after its end. The dirty rate is that of the last"
                + " round: what the guest wrote, divided by the time that the round took."
                + " Downtime is estimated until the switch-over, and measured from the pause of"
                + " the guest at the source to its start at the destination. Each tool tip says"
                + " more.",
            "Keys and mouse",
            TIME_KEYS),
        Topic.of(
            "Completions",
            "What it shows",
            "For each end, how many work requests complete per second in the send queue and in"
                + " the receive queue, and how many are outstanding, which is posted and not"
                + " completed. Shaded stretches are waits; crosses are completions with an"
                + " error. If both queues complete in one, that queue is shown, and dropped"
                + " completions are marked.",
            "How it is measured",
            "From the counters of the engine: a request counts as posted when the verb has"
                + " returned, and as completed when its completion was polled, or when a later"
                + " completion of the same queue covers it because it was not signaled.",
            "Keys and mouse",
            TIME_KEYS),
        Topic.of(
            "Chunks",
            "What it shows",
            "Every chunk (1 MiB) of the guest's RAM as a cell, by RAM block, at both ends: not"
                + " registered, zero, registered, arrived, dirty again, in transit,"
                + " released. If there is no room for one cell per chunk, a cell stands for"
                + " several and shows the most urgent state among them.",
            "How it is measured",
            "The engine notes each change of a chunk in a table, which the window reads. Counts"
                + " in the legend are numbers of chunks.",
            "Keys and mouse",
            "A click selects a chunk, whose history the inspector shows. The wheel zooms,"
                + " dragging moves the map, Fit shows all of it. A click on an entry of the"
                + " legend highlights the chunks in that state."),
        Topic.of(
            "Registrations",
            "What it shows",
            "Memory regions that are registered with the device, of a migration those of the"
                + " guest's RAM: how many are alive, how much they pin, how many are made and"
                + " released per second, and, of a migration, how long making one takes.",
            "How it is measured",
            "The time per registration is that of the verb (ibv_reg_mr), without the trip to"
                + " the other end. A trip is one REGISTER REQUEST with its answer. The memlock"
                + " limit is that of the process that migrates; RAM of a privileged process may"
                + " exceed it.",
            "Keys and mouse",
            TIME_KEYS),
        Topic.of(
            "Wrids",
            "What it shows",
            "Every work request as a line from its post to its completion, in lanes for send"
                + " queue and receive queue, so that crossing lines are completions out of"
                + " order. Marks: a cross for out of order, failed or released too early, a"
                + " struck circle for dropped, a ring for handled by another wait without harm,"
                + " dashes for not completed. Hatched stretches in the lane of waits are what"
                + " the engine waited for. A lane of the device appears once one of its counters"
                + " shows trouble. It marks the second in which the counter changed; the counter is"
                + " that of a port, for all programs on it.",
            "How it is measured",
            "From events: the engine writes one at each post and each completion, with a clock"
                + " of nanoseconds. A time is that of the program, not of the device: a"
                + " completion happens before it is polled.",
            "Keys and mouse",
            ("A click selects a request. Without one, Right selects the first request in sight; with"
                    + " one, Left and Right go to the request before or after it. %s")
                .formatted(TIME_KEYS)),
        Topic.of(
            "Messages",
            "What it shows",
            "The control messages between source and destination as a ladder: READY, QEMU FILE,"
                + " RAM BLOCKS REQUEST, REGISTER REQUEST and the others, each from its sending"
                + " to its arrival. Heartbeats, which only say that their sender is there, are"
                + " counted, and shown when they are wanted or searched for.",
            "How it is measured",
            "A message leaves when its SEND is posted and arrives when its receive completion"
                + " was polled. Two ends in one process have the same clock; recordings of two"
                + " machines are aligned by their messages.",
            "Keys and mouse",
            "A click selects a message; Up and Down go to the message before or after it. %s"
                .formatted(TIME_KEYS)),
        Topic.of(
            "Virtio",
            "What it shows",
            "The virtqueues of the guest's block and network device at both ends: how far the"
                + " driver and the device are in each ring, what is in flight, what a check"
                + " predicts to be lost or done twice, and what a driver has noticed.",
            "How it is measured",
            "The rings are read from the guest's RAM, the device's own indices from the device."
                + " Only synthetic guests have such devices. Recordings have their past; of a"
                + " running migration, the view shows the present state.",
            "Keys and mouse",
            "A chosen range shows the queues at its beginning and at its end."),
        Topic.of(
            "Explain",
            "What it shows",
            "What happened and why, in numbered steps with links to their events; what can be"
                + " done; findings about the session after its end; and how long requests"
                + " took.",
            "How it is measured",
            "From the same events as Wrids and Log. A share of time is that between the first"
                + " and the last event. p99 means that 99 of 100 requests took no longer.",
            "Keys and mouse",
            "A click on a step selects its event and shows the time around it; Log and Wrids"
                + " show it there."),
        Topic.of(
            "Log",
            "What it shows",
            "Every event: requests, completions, registrations, messages, waits, phases,"
                + " asynchronous events, at both ends.",
            "How it is measured",
            "Each event has the time at which the engine wrote it, counted from the beginning"
                + " of the migration. Events that a full buffer left out are counted in the"
                + " status bar.",
            "Keys and mouse",
            "Ctrl+F searches, Enter goes to the next hit. A click selects an event; Ctrl+C"
                + " copies the selected rows."));
  }
}
