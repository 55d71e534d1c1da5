import MagicalRecord

/// What the tables of the articles "Coming from …" show in their columns for this framework.
enum ComingFromSnippets {
    static func settingUp(url: URL, container: NSPersistentContainer) throws {
        // snippet
        try MagicalRecord.setUp()
        try MagicalRecord.setUp(.sqlite(named: "AddressBook"))
        try MagicalRecord.setUp(.sqlite(named: "AddressBook"), migration: .none)
        try MagicalRecord.setUp(.sqlite(at: url))
        try MagicalRecord.setUp(.sqlite(at: url), model: .merged(from: [.module]))
        try MagicalRecord.setUp(.sqlite(named: "Cache"), migration: .recreating)
        try MagicalRecord.setUp(.inMemory)
        let stack = MagicalRecord.Stack(coordinator: container.persistentStoreCoordinator, shape: .siblings)
        MagicalRecord.setDefaultStack(stack)
        // end
    }

    static func storeOfContainer() throws {
        // snippet
        let folder = NSPersistentContainer.defaultDirectoryURL()
        try MagicalRecord.setUp(.sqlite(named: "AddressBook", in: folder))
        // end
    }

    static func inBackground() async throws {
        // snippet
        try await MagicalRecord.setUpInBackground(.sqlite(named: "AddressBook"))
        // end
    }

    static func tearingDown() async throws {
        // snippet
        try await MagicalRecord.tearDown()
        try await MagicalRecord.tearDown(deletingStores: true)
        // end
    }

    static func contexts() throws {
        // snippet
        let stack = try MagicalRecord.requireStack()
        let main = stack.mainContext
        let root = stack.rootSavingContext
        let context = stack.newContext(named: "import")
        let following = stack.newFollowingContext(named: "list")
        // end
        _ = (main, root, context, following)
    }

    static func finding(text: String, id: NSManagedObjectID, context: NSManagedObjectContext) throws {
        // snippet
        _ = try User.findAll()
        _ = try User.findAll(where: \.isFriend == true)
        _ = try User.findAll(where: \.isFriend == true, sortedBy: \.displayName)
        _ = try User.findAll(where: \.isFriend == true, sortedBy: \.displayName, limit: 20)
        _ = try User.findAll(sortedBy: \.displayName)
        _ = try User.findAll(sortedBy: \.displayName, limit: 20, offset: 40)
        _ = try User.findAll(sortedBy: \.displayName, prefetching: [.relationship(\.team)])
        _ = try User.findAll(sortedBy: [.descending(\.lastUpdate), .ascending(\.displayName)])
        _ = try User.findFirst(where: \.userID == 7)
        _ = try User.findFirst(sortedBy: \.balance, .descending)
        _ = try User.findAll(where: { $0.displayName.contains(text, .caseInsensitive) })
        _ = try User.findAll(where: { $0.displayName.beginsWith("A") })
        _ = try User.findAll(where: { $0.userID.in([7, 8, 9]) })
        _ = try User.findAll(where: { $0.balance.between(10...100) })
        _ = try User.findAll(where: { $0.isFriend && $0.balance > 10 })
        _ = try User.findAll(where: { $0.team.name == "Red" })
        _ = try User.findAll(where: { $0.messages.any { $0.length > 100 } })
        _ = try User.findAll(where: { $0.messages.count > 3 })
        _ = try User.findAll(where: "displayName CONTAINS[c] %@", text)
        _ = try User.find(id: id, in: context)
        _ = User.where(\.isFriend == true).sorted(by: \.displayName).limited(to: 20)
        _ = try User.where(\.isFriend == true).fetchRequest(in: context)
        _ = try User.where(\.isFriend == true).ids()
        // end
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    static func swiftPredicates() throws {
        // snippet
        _ = try User.findAll(where: .matching(#Predicate { $0.isFriend }))
        _ = try User.findAll(where: .matching(#Predicate { $0.isFriend }), sortedBy: \.displayName, limit: 20)
        // end
    }

    static func computing() throws {
        // snippet
        _ = try User.count()
        _ = try User.count(where: \.isFriend == true)
        _ = try User.exists()
        _ = try User.exists(where: \.userID == 7)
        _ = try User.all.sum(of: \.balance)
        _ = try User.all.average(of: \.balance)
        _ = try User.all.minimum(of: \.balance)
        _ = try User.all.maximum(of: \.balance)
        _ = try User.all.count(by: \.countryCode)
        _ = try User.all.sum(of: \.balance, by: \.countryCode)
        _ = try User.all.average(of: \.balance, by: \.countryCode)
        _ = try User.all.values(of: \.displayName, distinct: true)
        // end
    }

    static func enumerations() throws {
        // snippet
        _ = try Ticket.findAll(where: { $0.state == .open })
        _ = try Ticket.findAll(where: { $0.state.in([.open, .started]) }, sortedBy: \.state)
        _ = try Ticket.all.count(by: \.state)
        _ = try Parcel.findAll(where: "address.city == %@", "Lima")
        // end
    }

    @MainActor static func sections() throws {
        // snippet
        _ = try User.sorted(by: \.displayName).sections(by: \.team?.name)
        _ = User.sorted(by: \.displayName).observeSections(by: \.team?.name)
        _ = Ticket.sorted(by: \.title).observeSections(by: \.state)
        // end
    }

    /// Statements in closures are compiled, but are not about this target's model.
    static func statements() {
        let _: (MagicalRecord.EntityDeclaration<User>) -> Void = { user in
            // snippet
            user.unique(\.userID)
            user.index(\.countryCode, \.displayName)
            user.attribute(\.displayName, renamedFrom: "name")
            user.attribute(\.userID, isPreservedAfterDeletion: true)
            user.relationship(\.messages, inverse: \Message.sender, deleteRule: .cascadeDeleteRule)
            // end
        }
        let _: (MagicalRecord.EntityDeclaration<Message>) -> Void = { message in
            // snippet
            message.attribute(\.length, isTransient: true)
            // end
        }
    }

    static func changing(context: NSManagedObjectContext, user: User, yearAgo: Date) throws {
        // snippet
        let ann = try User.create(in: context) { $0.displayName = "Ann" }
        ann.displayName = "Anna"
        user.delete()
        _ = try User.findOrCreate(by: \.userID, 7, in: context)
        _ = try User.findOrCreate(by: \.userID, in: [7, 8, 9], in: context)
        try User.upsert(by: \.userID, 7, in: context) { $0.displayName = "Ann" }
        try User.deleteAll(in: context)
        try User.deleteAll(where: \.isFriend == false, in: context)
        try User.where(\.countryCode == 49).batchUpdate(.set(\.isFriend, to: true), in: context)
        try Message.where(\.sentAt < yearAgo).batchDelete(in: context)
        try context.save(to: .store)
        try context.save(to: .parent)
        // end
    }

    static func related(user: User, team: Team, message: Message) {
        // snippet
        user.team = team
        team.members.insert(user)
        user.messages.remove(message)
        // end
    }

    static func many(context: NSManagedObjectContext) throws {
        // snippet
        try User.all.forEachBatch(of: 500, in: context) { users in
            print(users.count)
        }
        // end
    }

    static func saving() async throws {
        // snippet
        try await MagicalRecord.save { context in
            try User.create(in: context).displayName = "Ann"
        }
        let count = try await MagicalRecord.read { context in try User.count(in: context) }
        // end
        _ = count
    }

    static func savingWhileOthersDo() async throws {
        // snippet
        try await MagicalRecord.save(onConflict: .retry(times: 3)) { context in
            try User.findOrCreate(by: \.userID, 7, in: context).balance += 5
        }
        try await MagicalRecord.save(onConflict: .merge(.mergeByPropertyObjectTrump)) { context in
            try User.findOrCreate(by: \.userID, 7, in: context).displayName = "Ann"
        }
        // end
    }

    static func exclusively() async throws {
        // snippet
        try await MagicalRecord.save(isolation: .exclusive) { context in
            try User.findOrCreate(by: \.userID, 7, in: context).balance += 5
        }
        // end
    }

    static func blocking() throws {
        // snippet
        try MagicalRecord.saveAndWait { context in
            try User.create(in: context).displayName = "Ann"
        }
        // end
    }

    static func renaming(_ user: User) async throws {
        // snippet
        let id = try user.permanentID()
        try await MagicalRecord.save { context in
            try User.find(id: id, in: context)?.displayName = "Anna"
        }
        // end
    }

    static func crossing(user: User, context: NSManagedObjectContext) throws {
        // snippet
        let same = try user.in(context)
        // end
        _ = same
    }

    @MainActor static func watching(_ show: ([User]) -> Void) async throws {
        // snippet
        for try await friends in User.where(\.isFriend == true).sorted(by: \.displayName).observeObjects() {
            show(friends.objects)
        }
        // end
    }

    @MainActor static func controllers(delegate: any NSFetchedResultsControllerDelegate) throws {
        // snippet
        let controller = try User.sorted(by: \.displayName).fetchedResults(delegate: delegate)
        let sections = try User.where(\.isFriend == true).sorted(by: \.displayName).fetchedResults(
            sectionedBy: \.countryCode, delegate: delegate)
        // end
        _ = (controller, sections)
    }

    static func migrating() throws {
        // snippet
        let versions = try MagicalRecord.ModelVersions(named: "AddressBook", in: .module)
        try MagicalRecord.setUp(.sqlite(named: "AddressBook"), migration: .through(versions, in: [.module]))
        let report = try MagicalRecord.rehearseMigration(of: .sqlite(named: "AddressBook"), through: versions)
        // end
        _ = report
    }

    static func importing(records: [[String: Any]], url: URL) async throws {
        // snippet
        try await MagicalRecord.importAll(User.self, from: .records(records))
        try await MagicalRecord.importAll(User.self, from: .file(url))
        // end
    }

    static func importing(records: [[String: Any]], context: NSManagedObjectContext) throws {
        // snippet
        let user = try User.importOne(from: records[0], in: context)
        let report = try User.importAll(from: records, in: context)
        let json = try User.findAll(in: context).exportedJSON()
        // end
        _ = (user, report, json)
    }

    static func testing() throws {
        // snippet
        let memory = try MagicalRecord.Stack([.inMemory], shape: .server, model: .named("Model", in: .module))
        let sqlite = try MagicalRecord.Stack(
            [.sqlite(at: URL(fileURLWithPath: "/dev/null"))], shape: .server, model: .named("Model", in: .module))
        // end
        _ = (memory, sqlite)
    }

    static func errors() {
        // snippet
        MagicalRecord.setErrorHandler { error in print("legacy call failed:", error) }
        MagicalRecord.setLogHandler { kind, message in print(kind, message) }
        // end
    }

    static func oldSwift(user: User) {
        MagicalRecord.save(blockAndWait: { localContext in
            // snippet
            _ = User.mr_createEntity(in: localContext)
            _ = user.mr_(in: localContext)
            // end
        })
        // snippet
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "User")
        let users = User.mr_executeFetchRequest(request) as? [User] ?? []
        let array = (User.mr_executeFetchRequest(request) ?? []) as NSArray
        let count = User.mr_executeFetchRequest(request)?.count ?? 0
        let first = User.mr_findFirst()
        // end
        _ = (users, array, count, first)
    }

    static func oldGeneric<T: NSManagedObject>(_ request: NSFetchRequest<any NSFetchRequestResult>) -> [T]? {
        // snippet
        T.mr_executeFetchRequest(request) as? [T]
        // end
    }
}
