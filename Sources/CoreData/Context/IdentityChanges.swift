import CoreDataRuntimeSupport

/// The permanent IDs that replaced a context's temporary IDs.
///
/// Resolves stale temporary IDs through a bounded LRU of two generations of 16,384 entries each.
struct IdentityChanges {
    /// A temporary key and the ID that replaced it.
    typealias Change = (temporary: Int64, permanent: NSManagedObjectID)

    private static let limit = 1 << 14

    private var recent: [Int64: NSManagedObjectID] = [:]
    private var older: [Int64: NSManagedObjectID] = [:]
    /// Replacements that have not been sent to the children yet.
    var unannounced: [Change] = []

    subscript(temporary: Int64) -> NSManagedObjectID? { recent[temporary] ?? older[temporary] }

    /// Replaces permanent IDs, after a store was moved.
    mutating func replace(_ replacement: (NSManagedObjectID) -> NSManagedObjectID) {
        recent = recent.mapValues(replacement)
        older = older.mapValues(replacement)
        unannounced = unannounced.map { ($0.temporary, replacement($0.permanent)) }
    }

    mutating func remember(_ change: Change) {
        if recent.count >= Self.limit {
            older = recent
            recent = [:]
        }
        recent[change.temporary] = change.permanent
    }
}

/// The remapped IDs and versions of saved rows for a child context, which applies them on its queue.
final class ChildMailbox: @unchecked Sendable {
    struct Mail {
        var identities: [IdentityChanges.Change] = []
        var versions: [SavedVersion] = []

        var count: Int { identities.count + versions.count }
        var isEmpty: Bool { count == 0 }
    }

    private let lock = Lock()
    @exclusivity(unchecked) private var mail = Mail()

    private static let limit = 1 << 14

    /// Adds remappings for a context that applies them on its queue, either when it is notified or before it next needs them.
    ///
    /// - Returns: True if the context must be notified.
    func add(_ new: Mail, isRead: @autoclosure () -> Bool) -> Bool {
        let (before, after) = lock.withLock {
            let before = mail.count
            mail.identities += new.identities
            mail.versions += new.versions
            return (before, mail.count)
        }
        // Evaluated only now: a reader that has begun has taken the earlier entries.
        return isRead() ? before == 0 : before <= Self.limit && after > Self.limit
    }

    func take() -> Mail {
        lock.withLock {
            guard !mail.isEmpty else { return mail }
            defer { mail = Mail() }
            return mail
        }
    }
}
