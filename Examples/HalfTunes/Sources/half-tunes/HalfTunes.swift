import Foundation
import HalfTunesUI

@main
enum HalfTunes {
    static func main() {
        exit(Program.run())
    }
}
