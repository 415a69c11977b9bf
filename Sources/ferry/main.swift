import FerryCommand
import Foundation

exit(await Program.main().rawValue)
