import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The kinds of store the same tests run on.
enum KindOfStore: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, inMemory, binary, xml, incremental, postgreSQL

    static let allCases = builtIn + [.incremental]

    /// The kinds that are no class of a program's; PostgreSQL where the tests have a server.
    static let builtIn: [KindOfStore] =
        [.sqlite, .inMemory, .binary, .xml] + (StoreKind.hasServer ? [.postgreSQL] : [])

    var type: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .inMemory: NSInMemoryStoreType
        case .binary: NSBinaryStoreType
        case .xml: NSXMLStoreType
        case .incremental: TableStore.type
        case .postgreSQL: CoreDataPostgreSQLStoreType
        }
    }

    var testDescription: String { rawValue }
}

/// A store of one kind with a context on it, in a folder, or a schema, that is removed with the object.
final class EveryStore {
    let kind: KindOfStore
    let url: URL
    private let place: StoreKind.Place
    private(set) var coordinator: NSPersistentStoreCoordinator
    private(set) var context: NSManagedObjectContext

    init(_ kind: KindOfStore) throws {
        self.kind = kind
        NSPersistentStoreCoordinator.registerStoreClass(TableStore.self, forStoreType: TableStore.type)
        place = try (kind == .postgreSQL ? StoreKind.postgreSQL : .sqlite).makePlace()
        let placed = try #require(place.url)
        // The identifier of a `TableStore` is the name of its file.
        url =
            kind == .postgreSQL
            ? placed : placed.deletingLastPathComponent().appendingPathComponent("Things-\(UUID().uuidString)")
        coordinator = try Self.open(kind, url)
        context = Self.context(on: coordinator)
    }

    deinit { place.remove() }

    /// Opens the store anew, as the next run of a program does. An in-memory store would be empty then: it only gets a new
    /// context.
    func reopen() throws {
        if kind != .inMemory {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            coordinator = try Self.open(kind, url)
        }
        context = Self.context(on: coordinator)
    }

    func makeContext() -> NSManagedObjectContext { Self.context(on: coordinator) }

    private static func context(on coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private static func open(_ kind: KindOfStore, _ url: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ThingModel.make())
        _ = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind == .inMemory ? nil : url, options: nil)
        return coordinator
    }
}

/// Things with every type of attribute, a sub-entity, and every kind of relationship.
///
/// `Thing` has parts and a whole (1 ⟷ n), friends (n ⟷ n), a lid (1 ⟷ 1, cascades) and lies in a `Drawer` (ordered,
/// cascades). `Gadget` is a thing.
enum ThingModel {
    static func make() -> NSManagedObjectModel {
        let thing = LibraryModel.entity("Thing"), gadget = LibraryModel.entity("Gadget")
        let lid = LibraryModel.entity("Lid"), drawer = LibraryModel.entity("Drawer")
        thing.properties = [
            LibraryModel.attribute("name", .stringAttributeType, optional: false),
            LibraryModel.attribute("small", .integer16AttributeType),
            LibraryModel.attribute("middle", .integer32AttributeType, default: 7),
            LibraryModel.attribute("large", .integer64AttributeType),
            LibraryModel.attribute("ratio", .doubleAttributeType), LibraryModel.attribute("rough", .floatAttributeType),
            LibraryModel.attribute("price", .decimalAttributeType),
            LibraryModel.attribute("isNew", .booleanAttributeType),
            LibraryModel.attribute("made", .dateAttributeType),
            LibraryModel.attribute("data", .binaryDataAttributeType),
            LibraryModel.attribute("code", .UUIDAttributeType), LibraryModel.attribute("site", .URIAttributeType),
            LibraryModel.attribute("note", .stringAttributeType, transient: true),
        ]
        gadget.properties = [LibraryModel.attribute("volts", .doubleAttributeType)]
        thing.subentities = [gadget]
        lid.properties = [LibraryModel.attribute("colour", .stringAttributeType)]
        drawer.properties = [LibraryModel.attribute("label", .stringAttributeType)]
        LibraryModel.relate(thing, "parts", many: true, thing, "whole", many: false)
        LibraryModel.relate(thing, "friends", many: true, thing, "friendOf", many: true)
        LibraryModel.relate(thing, "lid", many: false, lid, "thing", many: false, rule: .cascadeDeleteRule)
        LibraryModel.relate(
            drawer, "things", many: true, thing, "drawer", many: false, ordered: true, rule: .cascadeDeleteRule)
        let model = NSManagedObjectModel()
        model.entities = [thing, gadget, lid, drawer]
        return model
    }
}
