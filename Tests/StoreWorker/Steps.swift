import CoreData
import Foundation
import CoreDataSystemCallFaults
import StoreTools

/// One piece of work on a store's files. The process ends itself before a given one of the system calls by which it changes
/// files: `CoreDataStoreWorker step STORE OPERATION NUMBER`. With 0 it survives, and reports how many there are.
struct Steps {
    private let url: URL
    private let operation: String
    private let number: Int

    init(_ url: URL, _ arguments: [String]) throws {
        self.url = url
        operation = arguments[0]
        number = Int(arguments[1]) ?? 0
    }

    private var folder: URL { url.deletingLastPathComponent() }

    func run() throws {
        let work = try prepare()
        faults_arm(folder.path, number, Int32(FAULTS_KILL.rawValue))
        try work()
        report("calls \(faults_count())")
        report("done")
    }

    /// What is to be done, with everything that belongs to another process's life already done.
    private func prepare() throws -> () throws -> Void {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Ledger.model())
        switch operation {
        case "replace":
            let source = folder.appendingPathComponent("Other.sqlite")
            return {
                try coordinator.replacePersistentStore(
                    at: url, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
            }
        case "copy":
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            return {
                try coordinator.migratePersistentStore(
                    store, to: folder.appendingPathComponent("Copy.sqlite"), withType: NSSQLiteStoreType)
                for store in coordinator.persistentStores { try coordinator.remove(store) }
            }
        case "destroy":
            return { try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType) }
        case "light", "heavy", "stages", "mapping", "chain":
            let migration = try StoreMigration(url, kind: operation)
            return { _ = try migration.run() }
        case NSBinaryStoreType, NSXMLStoreType:
            let context = try Self.wholeStore(operation, at: url)
            return { try context.performAndWait { try Self.addLabel(context) } }
        case "write":
            let context = try Ledger.context(url)
            return {
                try context.performAndWait {
                    for entry in try Ledger.all("Entry", context) where entry.value(forKey: "blob") != nil {
                        entry.setValue(Data(repeating: 9, count: 150_000), forKey: "blob")
                    }
                    try context.save()
                }
                for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
                    try context.persistentStoreCoordinator?.remove(store)
                }
            }
        case "launch":
            return {
                switch try StoreRescue.open(url, else: .rescue) {
                case .ready: report("ready")
                case .unavailable(let condition): report("unavailable \(condition)")
                case .rescued(_, let oldFiles): report("rescued \(oldFiles.lastPathComponent)")
                case .rescuedBefore(let oldFiles): report("rescuedBefore \(oldFiles.lastPathComponent)")
                case .damaged: report("damaged")
                }
            }
        default:
            report("unknown operation \(operation)")
            exit(64)
        }
    }

    /// A store that every save writes as a whole, with one label more than before.
    private static func wholeStore(_ type: String, at url: URL) throws -> NSManagedObjectContext {
        let (model, label, word) = (NSManagedObjectModel(), NSEntityDescription(), NSAttributeDescription())
        (label.name, word.name, word.attributeType) = ("Label", "word", .stringAttributeType)
        label.properties = [word]
        model.entities = [label]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try addLabel(context) }
        return context
    }

    private static func addLabel(_ context: NSManagedObjectContext) throws {
        NSEntityDescription.insertNewObject(forEntityName: "Label", into: context).setValue("word", forKey: "word")
        try context.save()
    }
}
