import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation
import Synchronization

/// A store as a server might have it: a name, rows, metadata, and those who have it open. Nothing of it is a file.
package final class ToyDatabase: Sendable {
    struct Content {
        /// nil for a store that has been made and not been opened yet.
        var state: MemoryState?
        /// Advances with each write.
        var version = 0
        var metadata: [String: Any]
        var model: Data?
        var isHeld = false
        var watches: [ObjectIdentifier: ToyWatch] = [:]
    }

    let content: Mutex<Content>
    /// The turn to write, which an exclusive session keeps. One thread may take it several times.
    let writer = NSRecursiveLock()
    /// The error that everything asked of the database ends with.
    private let failure = Mutex<NSError?>(nil)

    init(_ content: sending Content) { self.content = Mutex(content) }

    /// Has everything that is asked from now on fail, or nothing any more.
    package func fail(with error: NSError?) { failure.withLock { $0 = error } }

    func requireAnswer() throws { if let error = failure.withLock({ $0 }) { throw error } }

    /// Tells all but one of those who look out for changes.
    func tellOthers(than own: ToyWatch?) {
        for watch in content.withLock({ Array($0.watches.values) }) where watch !== own { watch.tell() }
    }

    // MARK: All databases

    private static let all = Mutex<[String: ToyDatabase]>([:])

    package static func named(_ url: URL) -> ToyDatabase? { all.withLock { $0[url.absoluteString] } }

    /// Makes a database, or finds the one that is there.
    static func make(_ url: URL, _ content: () -> Content) -> ToyDatabase {
        let made = ToyDatabase(content())
        return all.withLock { all in
            if let known = all[url.absoluteString] { return known }
            all[url.absoluteString] = made
            return made
        }
    }

    static func remove(_ url: URL) { all.withLock { $0[url.absoluteString] = nil } }

    /// Puts the content of one database in the place of another.
    static func move(_ source: URL, to destination: URL) {
        all.withLock { all in
            all[destination.absoluteString] = all[source.absoluteString]
            all[source.absoluteString] = nil
        }
    }

    package static var names: Set<String> { all.withLock { Set($0.keys) } }
}

/// Looks out for what others write to a database.
final class ToyWatch: StoreWatch {
    private let queue = DispatchQueue(label: "toy.watch")
    private let onChange: @Sendable () -> Void
    private let database: ToyDatabase

    init(_ database: ToyDatabase, _ onChange: @escaping @Sendable () -> Void) {
        self.database = database
        self.onChange = onChange
        database.content.withLock { $0.watches[ObjectIdentifier(self)] = self }
    }

    func tell() { queue.async(execute: onChange) }

    func beginOwnWrite() {}

    func endOwnWrite(succeeded: Bool) { if succeeded { database.tellOthers(than: self) } }

    func stop() { database.content.withLock { $0.watches[ObjectIdentifier(self)] = nil } }
}
