import FerryCommand
import Foundation

exit(await Program.run(Array(CommandLine.arguments.dropFirst()), in: .live).rawValue)
