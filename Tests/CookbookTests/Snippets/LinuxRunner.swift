// snippet
import CoreData
import Testing

final class Persistence {
    static let model = NSManagedObjectModel.mergedModel(from: [.module])!
    let container: NSPersistentContainer

    /// Opens the store at a place, by default the app's.
    init(store: URL? = nil) throws {
        container = NSPersistentContainer(name: "AddressBook", managedObjectModel: Self.model)
        if let store { container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: store)] }
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
    }

    func friends(in context: NSManagedObjectContext) throws -> [User] {
        let request = NSFetchRequest<User>(entityName: "User")
        request.predicate = NSPredicate(format: "isFriend == YES")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \User.displayName, ascending: true)]
        return try context.fetch(request)
    }
}
// end

// snippet
@Suite final class PersistenceTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let persistence: Persistence

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        persistence = try Persistence(store: folder.appendingPathComponent("AddressBook.sqlite"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test func friendsComeByName() throws {
        let context = persistence.container.newBackgroundContext()
        try context.performAndWait {
            for name in ["Cid", "Ann", "Ben"] {
                let user = User(context: context)
                user.displayName = name
                user.isFriend = name != "Ben"
            }
            try context.save()
        }
        let other = persistence.container.newBackgroundContext()
        let names = try other.performAndWait { try persistence.friends(in: other).map(\.displayName) }
        #expect(names == ["Ann", "Cid"])
    }

    @Test @MainActor func theViewContextWorks() throws {
        let memory = try Persistence(store: URL(fileURLWithPath: "/dev/null"))
        let context = memory.container.viewContext
        User(context: context).displayName = "Ann"
        try context.save()
        #expect(try context.count(for: NSFetchRequest<User>(entityName: "User")) == 1)
    }
}
// end
