import Foundation

/// The `userInfo` of a kind of notification about changes: a set under each of always the same keys.
///
/// Putting keys into a dictionary costs more than everything else about a small notification. So a context keeps the
/// dictionary it posted last, unless an observer has kept it, and the next notification's sets take the places of its own.
struct NoticeForm {
    typealias Contents = [AnyHashable: Any]

    /// Which of a context's ``SpareContents`` are of this form.
    fileprivate let number: Int
    /// Empty sets.
    fileprivate let empty: Contents
    /// Where the sets lie in ``empty``, and in every dictionary made from it: nil for those it has no key for.
    fileprivate let places: [Contents.Index?]

    private init(_ number: Int, _ keys: [String?], of emptySet: Any) {
        self.number = number
        let empty = Contents(uniqueKeysWithValues: keys.compactMap { $0.map { (AnyHashable($0), emptySet) } })
        self.empty = empty
        places = keys.map { $0.flatMap { empty.index(forKey: $0) } }
    }

    /// By the sets that are there, one bit each: inserted, updated, deleted, refreshed objects.
    nonisolated(unsafe) static let objects = (0..<16).map { mask in
        let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey]
        return NoticeForm(
            mask, keys.indices.map { mask & 1 << $0 != 0 ? keys[$0] : nil }, of: emptySet(of: NSManagedObject.self))
    }

    /// Inserted, updated and deleted object IDs.
    nonisolated(unsafe) static let identifiers = NoticeForm(
        objects.count, [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey],
        of: emptySet(of: NSManagedObjectID.self))

    /// Not specialised: being told how members are hashed, the runtime need not search the whole program for that.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func emptySet<Member: Hashable>(of type: Member.Type) -> Any { Set<Member>() }

    /// Puts a set in the place of the one that is there, which is of the same type.
    @inline(__always)
    fileprivate func put<Member>(_ set: Set<Member>, at kind: Int, in contents: inout Contents) {
        guard let place = places[kind] else { return }
        // A set is its own payload in an `Any`, where it comes first.
        withUnsafeMutableBytes(of: &contents.values[place]) {
            $0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Set<Member>.self).pointee = set
        }
    }
}

/// What a notification reports, by kind.
struct NoticeSets<Member: Hashable> {
    var inserted: Set<Member> = []
    var updated: Set<Member> = []
    var deleted: Set<Member> = []
    var refreshed: Set<Member> = []

    /// Puts the sets that have members, or empty ones in their places.
    @inline(__always)
    fileprivate func fill(_ contents: inout NoticeForm.Contents, _ form: NoticeForm, withNothing: Bool) {
        if !inserted.isEmpty { form.put(withNothing ? [] : inserted, at: 0, in: &contents) }
        if !updated.isEmpty { form.put(withNothing ? [] : updated, at: 1, in: &contents) }
        if !deleted.isEmpty { form.put(withNothing ? [] : deleted, at: 2, in: &contents) }
        if !refreshed.isEmpty { form.put(withNothing ? [] : refreshed, at: 3, in: &contents) }
    }
}

/// The dictionaries of notifications a context has posted, emptied, to be filled again.
struct SpareContents {
    private var byForm: ContiguousArray<NoticeForm.Contents?> = []

    fileprivate mutating func take(_ form: NoticeForm) -> NoticeForm.Contents {
        guard form.number < byForm.count, let spare = byForm[form.number] else { return form.empty }
        // Observers may post as well, and must not find it.
        byForm[form.number] = nil
        return spare
    }

    fileprivate mutating func keep(_ contents: NoticeForm.Contents, of form: NoticeForm) {
        while byForm.count <= form.number { byForm.append(nil) }
        byForm[form.number] = contents
    }
}

extension NSManagedObjectContext {
    final func post<Member>(_ name: Notification.Name, _ form: NoticeForm, _ sets: NoticeSets<Member>) {
        var contents = spareContents.take(form)
        sets.fill(&contents, form, withNothing: false)
        NotificationCenter.default.post(name: name, object: self, userInfo: contents)
        // Objects must not live longer for having been reported.
        sets.fill(&contents, form, withNothing: true)
        spareContents.keep(contents, of: form)
    }
}
