import CoreData
import CoreDataTestSupport
import Foundation
import ToyStore

/// Stores of the kind that the tests register.
enum ToyStores {
    private static let registration: Void = NSPersistentStoreCoordinator.register(ToyDriver.self)

    /// A place where there is no store yet.
    static func url() -> URL {
        registration
        return URL(string: "toy://tests/\(UUID().uuidString)")!
    }

    /// A container whose store is at a place, open.
    static func container(
        _ model: NSManagedObjectModel, at url: URL, _ change: (NSPersistentStoreDescription) -> Void = { _ in }
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Toy", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        change(description)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    /// The titles of the companies that a container's store has.
    static func titles(_ container: NSPersistentContainer) throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait { () throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Company")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "nil" }
        }
    }

    /// Saves a company with one employee.
    static func save(_ title: String, to container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait { () throws in
            let company = NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
            company.setValue(title, forKey: "title")
            let employee = NSEntityDescription.insertNewObject(forEntityName: "Employee", into: context)
            employee.setValue("\(title)'s first", forKey: "name")
            employee.setValue(company, forKey: "company")
            try context.save()
        }
    }
}
