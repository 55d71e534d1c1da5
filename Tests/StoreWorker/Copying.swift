import Foundation
import StoreTools

/// Copies a store between SQLite and PostgreSQL.
///
/// - Parameter last: The number of the commit after which the process ends itself, as `kill -9` does; 0 for none.
func copyStore(_ source: URL, to place: String, until last: Int) throws {
    let destination =
        place.contains("://") ? URL(string: place) ?? URL(fileURLWithPath: place) : URL(fileURLWithPath: place)
    var copy = StoreCopy(from: source, to: destination)
    copy.mostRowsInPage = 4
    copy.didCommit = { number in
        report("commit \(number)")
        if number == last { kill(getpid(), SIGKILL) }
    }
    report("begin")
    report("copied \(try copy.run().count)")
}
