import FerryDaemon

DaemonProgram.run(CommandLine.arguments)
