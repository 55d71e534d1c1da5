import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import ModelPredicates
import Testing

/// Two versions of a model between which nothing is inferred, as `Piece.stars` becomes a number. No other test has models with
/// these version hashes.
struct VersionPair {
    let first: NSManagedObjectModel
    let second: NSManagedObjectModel

    init() {
        let modifier = UUID().uuidString
        func model(_ type: NSAttributeType) -> NSManagedObjectModel {
            let piece = LibraryModel.entity("Piece")
            piece.versionHashModifier = modifier
            piece.properties = [
                LibraryModel.attribute("title", .stringAttributeType, optional: false, default: ""),
                LibraryModel.attribute("stars", type),
            ]
            let model = NSManagedObjectModel()
            model.entities = [piece]
            return model
        }
        (first, second) = (model(.stringAttributeType), model(.integer32AttributeType))
    }

    /// A store of the first version with one object.
    func store(type: String = NSSQLiteStoreType) throws -> MigrationStore {
        let store = try MigrationStore(type: type)
        try store.open(first) { $0.insert("Piece", ["title": "Prelude", "stars": "4"]) }
        return store
    }

    /// A mapping model as Xcode would compile it.
    func mapping(
        stars: String = "CAST($source.stars, 'NSNumber')", title: String = "$source.title",
        _ edit: (inout EntityMapping) -> Void = { _ in }
    ) throws -> MappingModel {
        var piece = EntityMapping(name: "PieceToPiece", kind: .transform)
        piece.sourceEntityName = "Piece"
        piece.destinationEntityName = "Piece"
        piece.sourceEntityVersionHash = first.entityVersionHashesByName["Piece"]
        piece.destinationEntityVersionHash = second.entityVersionHashesByName["Piece"]
        let parser = FormatTextParser()
        piece.attributeMappings = try [("title", title), ("stars", stars)].map {
            PropertyMapping(name: $0.0, valueExpression: try parser.expression($0.1))
        }
        edit(&piece)
        return MappingModel(entityMappings: [piece])
    }

    /// The same as an object.
    func mappingModel(_ values: MappingModel) throws -> NSMappingModel {
        let folder = try TemporaryFolder()
        let file = folder.file("Mapping.cdm")
        try values.archive().write(to: file)
        return try #require(NSMappingModel(contentsOf: file))
    }
}

/// A file among the program's resources, where automatic migration looks for mapping models, as long as the object lives.
final class ResourceFile {
    let url: URL
    var name: String { url.lastPathComponent }

    init(extension kind: String = "cdm") {
        url = Bundle.main.bundleURL.appendingPathComponent("Test-\(UUID().uuidString).\(kind)")
    }

    convenience init(_ mapping: MappingModel) throws {
        self.init()
        try mapping.archive().write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Adds a store with automatic migration, and these options besides.
func add(
    _ store: MigrationStore, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]
) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let added = try coordinator.addPersistentStore(
        ofType: store.type, configurationName: nil, at: store.url,
        options: MigrationStore.automatically.merging(options) { $1 })
    try coordinator.remove(added)
}

/// Loads a store as containers do.
func load(_ store: MigrationStore, _ model: NSManagedObjectModel, infers: Bool = true) throws {
    let container = NSPersistentContainer(name: "Store", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: store.url)
    description.type = store.type
    description.shouldInferMappingModelAutomatically = infers
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    for store in container.persistentStoreCoordinator.persistentStores {
        try container.persistentStoreCoordinator.remove(store)
    }
}
