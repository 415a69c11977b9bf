/// `ferry daemon`: about ferryd itself.
struct DaemonCommand {
    static let syntax = CommandSyntax(
        name: "daemon",
        summary: "show or stop ferryd",
        subcommands: [DaemonStatusCommand.syntax, DaemonStopCommand.syntax]
    )
}
