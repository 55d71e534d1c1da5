import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// The `userInfo` layout of a kind of change notification: always the same keys, each with a set.
///
/// Inserting keys into a dictionary costs more than the rest of a small notification. So a context reuses the dictionary it
/// posted last, unless an observer has retained it, and replaces its sets.
final class NoticeForm: @unchecked Sendable {
    typealias Contents = [AnyHashable: Any]

    /// The index of this form's dictionary in a context's ``SpareContents``.
    fileprivate let number: Int
    /// A dictionary with empty sets.
    fileprivate let empty: Contents
    /// The indices of the sets in ``empty``, and in every dictionary copied from it; nil for missing keys.
    fileprivate let places: Places

    /// Not an array: to create one, the runtime would search all protocol conformances for the hashing of the keys.
    fileprivate struct Places {
        var inserted: Contents.Index?
        var updated: Contents.Index?
        var deleted: Contents.Index?
        var refreshed: Contents.Index?
    }

    private init(_ number: Int, _ keys: [String?], of emptySet: Any) {
        self.number = number
        var empty = Contents(minimumCapacity: keys.count)
        for case let key? in keys { empty[key] = emptySet }
        self.empty = empty
        func place(_ kind: Int) -> Contents.Index? { keys[kind].flatMap { empty.index(forKey: $0) } }
        places = Places(inserted: place(0), updated: place(1), deleted: place(2), refreshed: place(3))
    }

    private static let objectKeys = [
        NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
    ]

    /// One form for every mask, created on first use and kept for the life of the process. Creating all sixteen would take a
    /// considerable part of the first save.
    private nonisolated(unsafe) static let forms: UnsafeMutablePointer<MadeOnce<NoticeForm>> = {
        let forms = UnsafeMutablePointer<MadeOnce<NoticeForm>>.allocate(capacity: 1 << objectKeys.count)
        for mask in 0..<1 << objectKeys.count { (forms + mask).initialize(to: MadeOnce()) }
        return forms
    }()

    /// Returns the form of a notification with objects.
    ///
    /// - Parameter mask: The sets it contains, one bit each: inserted, updated, deleted, refreshed objects.
    static func objects(_ mask: Int) -> NoticeForm {
        assert(0..<1 << objectKeys.count ~= mask)
        return forms[mask].value {
            let keys = objectKeys.indices.map { mask & 1 << $0 != 0 ? objectKeys[$0] : nil }
            return NoticeForm(mask, keys, of: emptySet(of: NSManagedObject.self))
        }
    }

    /// The form with the object IDs of a save: inserted, updated and deleted ones.
    static let identifiers = NoticeForm(
        1 << objectKeys.count, [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey, nil],
        of: emptySet(of: NSManagedObjectID.self))

    /// The form with the object IDs of a merge: refreshed ones, too.
    static let mergedIdentifiers = NoticeForm(
        identifiers.number + 1,
        [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey, NSRefreshedObjectIDsKey],
        of: emptySet(of: NSManagedObjectID.self))

    /// Returns an empty set. Not specialized: given the hashing as a witness table, the runtime need not search all
    /// conformances.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func emptySet<Member: Hashable>(of type: Member.Type) -> Any { Set<Member>() }
}

/// The sets of objects or IDs in a notification, by kind.
struct NoticeSets<Member: Hashable> {
    var inserted: Set<Member> = []
    var updated: Set<Member> = []
    var deleted: Set<Member> = []
    var refreshed: Set<Member> = []

    /// Reserves capacity: growing a set while filling it would hash every member several times.
    @inline(__always)
    mutating func reserve(inserted insertions: Int, updated updates: Int, deleted deletions: Int) {
        Self.reserve(&inserted, insertions)
        Self.reserve(&updated, updates)
        Self.reserve(&deleted, deletions)
    }

    @inline(__always)
    private static func reserve(_ set: inout Set<Member>, _ count: Int) {
        guard count > 0 else { return }
        // Twice the capacity halves the collisions, each of which costs a comparison.
        let capacity = count > 16 ? count * 2 : count
        if !set.isEmpty {
            set.reserveCapacity(set.count + capacity)
        } else if set.capacity < capacity {
            set = Set(minimumCapacity: capacity)
        }
    }

    /// Removes all members. Small sets keep their memory.
    @inline(__always)
    mutating func clear() {
        Self.clear(&inserted)
        Self.clear(&updated)
        Self.clear(&deleted)
        Self.clear(&refreshed)
    }

    @inline(__always)
    private static func clear(_ set: inout Set<Member>) {
        if set.capacity > 16 {
            set = []
        } else {
            // Removing all at once would make the runtime search for their hashing.
            while !set.isEmpty { set.removeFirst() }
        }
    }

    /// Replaces the sets that have members, by those or by empty ones.
    @inline(__always)
    fileprivate func fill(_ contents: inout NoticeForm.Contents, _ form: NoticeForm, withNothing: Bool) {
        if !inserted.isEmpty { put(withNothing ? [] : inserted, form.places.inserted, &contents) }
        if !updated.isEmpty { put(withNothing ? [] : updated, form.places.updated, &contents) }
        if !deleted.isEmpty { put(withNothing ? [] : deleted, form.places.deleted, &contents) }
        if !refreshed.isEmpty { put(withNothing ? [] : refreshed, form.places.refreshed, &contents) }
    }

    /// Replaces a set in place by one of the same type.
    @inline(__always)
    private func put(_ set: Set<Member>, _ place: NoticeForm.Contents.Index?, _ contents: inout NoticeForm.Contents) {
        guard let place else { return }
        contents.values[place] = set
    }
}

/// The emptied dictionaries of notifications that a context has posted, for reuse.
struct SpareContents {
    private var byForm: ContiguousArray<NoticeForm.Contents?> = []

    fileprivate mutating func take(_ form: NoticeForm) -> NoticeForm.Contents {
        guard form.number < byForm.count, let spare = byForm[form.number] else { return form.empty }
        // Observers may post as well and must not reuse it.
        byForm[form.number] = nil
        return spare
    }

    fileprivate mutating func keep(_ contents: NoticeForm.Contents, of form: NoticeForm) {
        while byForm.count <= form.number { byForm.append(nil) }
        byForm[form.number] = contents
    }
}

extension NSManagedObjectContext {
    /// Posts a notification.
    ///
    /// - Parameter history: The transactions of a save in the stores' histories, which observers get as a token.
    final func post<Member>(
        _ name: Notification.Name, _ form: NoticeForm, _ sets: NoticeSets<Member>,
        _ history: [String: HistoryMark] = [:]
    ) {
        var contents = spareContents.take(form)
        sets.fill(&contents, form, withNothing: false)
        if history.isEmpty {
            NotificationCenter.default.post(name: name, object: self, userInfo: contents)
        } else {
            var told = contents
            told[NSManagedObjectContextChangeTokenKey] = NSPersistentHistoryToken(history)
            NotificationCenter.default.post(name: name, object: self, userInfo: told)
        }
        // The reused dictionary must not extend the lifetime of reported objects.
        sets.fill(&contents, form, withNothing: true)
        spareContents.keep(contents, of: form)
    }
}
