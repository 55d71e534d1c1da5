import MagicalRecord

// The model has no entities for these: nothing here is run.
final class Notebook: NSManagedObject {
    var notes: NSOrderedSet { mutableOrderedSetValue(forKey: "notes") }
}
final class Note: NSManagedObject {
    var text: String? { value(forKey: "text") as? String }
    var isMarked: Bool { value(forKey: "isMarked") as? Bool ?? false }
}

enum FindingSnippets {
    static func columns(filter: String) throws {
        // snippet
        let bob = try User.findFirst(where: { $0.userID == 7 })
        let pals = try User.findAll(
            where: { $0.isFriend && $0.displayName.contains(filter, .caseInsensitive) },
            sortedBy: \.displayName, limit: 50)
        let reds = try User.where {
            $0.team.name == "Red" && $0.messages.count > 3 && $0.messages.any { $0.length > 100 }
        }
        .sorted(by: \.lastUpdate, .descending).findAll()
        // end
        // snippet
        let same = try User.findFirst(where: \.userID == 7)
        // end
        _ = (pals, reds, bob, same)
    }

    static func kindsOfColumns(
        yearAgo: Date, userIDs: [NSManagedObjectID], teamID: NSManagedObjectID
    ) -> [MagicalRecord.Query<User>] {
        // snippet
        let since = User.where { $0.lastUpdate >= yearAgo && $0.balance.between(1...9) }
        let without = User.where { $0.email == nil || $0.displayName == $0.email }
        let listed = User.where { $0.in(userIDs) && $0.countryCode.in([49, 84]) && $0.team == teamID }
        let letters = User.where { $0.displayName.length <= 20 && $0.email.like("*@example.org") }
        let writers = User.where { $0.messages.all { $0.sentAt != nil } && !$0.messages.isEmpty }
        let busy = User.where {
            $0.messages.sum(of: \.length) >= 1000 || $0.messages.count(where: { $0.length > 9 }) > 3
        }
        let rich = User.where { $0.balance > $0.team.members.average(of: \.balance) }
        // end
        return [since, without, listed, letters, writers, busy, rich]
    }

    static func orderedRelationships(notebook: Notebook) {
        // snippet
        let marked = Notebook.where { $0.notes.of(Note.self).any { $0.isMarked } }
        let texts = notebook.notes.array(of: Note.self).map(\.text)
        // end
        _ = (marked, texts)
    }

    static func conditions(filter: String) throws {
        // snippet
        let format = try User.findAll(where: "isFriend == 1 AND displayName CONTAINS[c] %@", filter)
        let ready = try User.findFirst(where: NSPredicate(value: true))
        // end
        _ = (format, ready)
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    static func swiftPredicates() throws -> User? {
        // snippet
        let ann = try User.findFirst(where: .matching(#Predicate { $0.userID == 7 }))
        // end
        return ann
    }

    static func operators(team: Team, teamID: NSManagedObjectID) -> [MagicalRecord.Condition<User>] {
        // snippet
        let nothing: MagicalRecord.Condition<User> = \.email == nil
        let keys: MagicalRecord.Condition<User> = \.displayName == \.email
        let object: MagicalRecord.Condition<User> = \.team == team
        let byID: MagicalRecord.Condition<User> = \.team == teamID
        let through: MagicalRecord.Condition<User> = \.team?.name == "Red"
        let either = !(\User.isFriend == true) || .format("balance > %f", 10.0)
        let joined = through && MagicalRecord.Condition { $0.messages.count > 3 || $0.email.like("*@example.org") }
        // end
        return [nothing, keys, object, byID, through, either, joined]
    }

    static func queries() throws {
        // snippet
        let friends = User.where { $0.isFriend }.sorted(by: \.displayName)
        let first = try friends.findFirst()
        let howMany = try friends.count()
        let page = try friends.prefetching(.relationship(\.team)).page(2, size: 20)
        let names = try friends.values(of: \.displayName, distinct: true)
        // end
        _ = (first, howMany, page, names)
    }

    static func sections() throws {
        // snippet
        for section in try User.sorted(by: \.displayName).sections(by: \.team?.name) {
            print(section.key ?? "No team", section.map(\.userID))
        }
        // end
    }

    static func pages() throws {
        // snippet
        let newest = User.sorted(by: \.lastUpdate, .descending).sorted(by: \.userID)
        let first = try newest.page(after: nil, size: 20)
        let text = first.next?.description
        let second = try newest.page(after: text.flatMap { MagicalRecord.Cursor($0) }, size: 20)
        // end
        _ = second
    }

    static func aggregates() throws {
        // snippet
        let total = try User.where { $0.isFriend }.sum(of: \.balance)
        for group in try User.all.average(of: \.balance, by: \.countryCode) {
            print(group.key, group.value)
        }
        let crowded = try User.all.count(by: \.countryCode, \.isFriend, having: { $0 > 10 })
        print(crowded.map { "\($0.key.0) \($0.key.1): \($0.value)" })
        // end
        _ = total
    }

    static func creating(context: NSManagedObjectContext) throws {
        // snippet
        let ann = try User.create(in: context) { $0.displayName = "Ann" }
        let bob = try User.findOrCreate(by: \.userID, 8, in: context)
        let several = try User.findOrCreate(by: \.userID, in: [8, 9, 10], in: context)
        try User.upsert(by: \.userID, 9, in: context) { $0.displayName = "Cid" }
        // end
        _ = (ann, bob, several)
    }

    static func deleting(context: NSManagedObjectContext, user: User) throws {
        // snippet
        user.delete()
        try User.deleteAll(where: { !$0.isFriend }, in: context)
        // end
    }

    static func batches(yearAgo: Date, context: NSManagedObjectContext) throws {
        // snippet
        try User.where { $0.countryCode == 49 }.batchUpdate(
            .set(\.isFriend, to: true), .add(1, to: \.balance), in: context)
        try Message.where { $0.sentAt < yearAgo }.batchDelete(in: context)
        // end
    }

    static func batches(context: NSManagedObjectContext) throws {
        // snippet
        try User.all.forEachBatch(of: 500, in: context) { users in
            for user in users where user.lastUpdate == nil { user.lastUpdate = Date() }
            try context.save(to: .store)
        }
        // end
    }

    @MainActor static func controllers(delegate: any NSFetchedResultsControllerDelegate) throws
        -> NSFetchedResultsController<User>
    {
        // snippet
        let controller = try User.where { $0.isFriend }.sorted(by: \.displayName)
            .fetchedResults(sectionedBy: \.countryCode, delegate: delegate)
        // end
        return controller
    }
}
