import CoreDataRuntimeSupport

/// What became of the temporary IDs a context had given out.
///
/// Whoever still holds such an ID is helped on for a while; memory is bounded, the oldest are forgotten first.
struct IdentityChanges {
    /// A temporary key and the ID that took its place.
    typealias Change = (temporary: Int64, permanent: NSManagedObjectID)

    private static let limit = 1 << 14

    private var recent: [Int64: NSManagedObjectID] = [:]
    private var older: [Int64: NSManagedObjectID] = [:]
    /// Changes the children have not been told of.
    var unannounced: [Change] = []

    subscript(temporary: Int64) -> NSManagedObjectID? { recent[temporary] ?? older[temporary] }

    /// Replaces the IDs that took the place of temporary ones.
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

/// Permanent IDs and versions of saved rows on their way to a child context, which takes them over on its own queue.
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

    /// Adds mail for a context that reads it on its queue, when it is told to, or only when it gets to it.
    ///
    /// - Returns: Whether it is to be told.
    func add(_ new: Mail, isRead: @autoclosure () -> Bool) -> Bool {
        let (before, after) = lock.withLock {
            let before = mail.count
            mail.identities += new.identities
            mail.versions += new.versions
            return (before, mail.count)
        }
        // Asked only now: whoever begins to read has read what was there before.
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
