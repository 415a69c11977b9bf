/// Something that holds for all tasks, by its name in the database.
package enum Setting: String, Hashable, Sendable {
    /// How fast all of them together may load and send.
    case rates
    /// What time it is for the daemon.
    case clock
}
