import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import Testing

/// Mapping models that are missing, cannot be read, or were made for other versions. Codes: 134140 where a store is added
/// without one (public logs of Apple's framework), 134110 for one that does not fit (Apple's general code of migrations).
struct MappingModelErrorTests {
    private let pair = VersionPair()

    enum Damage: CaseIterable {
        case truncated, garbage, empty, folder, forbidden

        /// Makes the file.
        func make(_ mapping: MappingModel, at url: URL) throws {
            let archive = mapping.archive()
            switch self {
            case .truncated: try archive.prefix(archive.count / 2).write(to: url)
            case .garbage: try Data((0..<500).map { UInt8(truncatingIfNeeded: $0 &* 73) }).write(to: url)
            case .empty: try Data().write(to: url)
            case .folder: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            case .forbidden:
                try archive.write(to: url)
                try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: url.path)
            }
        }
    }

    /// `init(contentsOf:)` and `init(from:forSourceModel:destinationModel:)` are nil, as documented by Apple.
    @Test(arguments: Damage.allCases, ["cdm", "xcmappingmodel"])
    func unreadableFilesAreNil(_ damage: Damage, _ kind: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("Mapping.\(kind)")
        try damage.make(try pair.mapping(), at: file)
        let bundle = try #require(Bundle(path: folder.url.path))
        withoutPrivileges {
            #expect(NSMappingModel(contentsOf: file) == nil)
            #expect(
                NSMappingModel(from: [bundle], forSourceModel: pair.first, destinationModel: pair.second) == nil)
        }
    }

    /// The error of the migration names the file that was there and could not be read.
    @Test(arguments: Damage.allCases) func unreadableFilesAreNamed(_ damage: Damage) throws {
        let store = try pair.store()
        let file = ResourceFile()
        try damage.make(try pair.mapping(), at: file.url)
        // The store is root's, too, where root runs the tests.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: store.folder.url.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: store.url.path)
        try expectRefusal(
            of: store, NSMigrationMissingMappingModelError,
            [store.url.path, "Can't find mapping model", "\(file.name) cannot be read", "Piece"]
        ) {
            try withoutPrivileges { try add(store, pair.second, [NSInferMappingModelAutomaticallyOption: false]) }
        }
        try expectRefusal(
            of: store, NSMigrationMissingMappingModelError,
            ["Persistent store migration failed, missing mapping model.", "\(file.name) cannot be read", "Piece.stars"]
        ) { try withoutPrivileges { try load(store, pair.second) } }
    }

    @Test func aMissingOneIsNamedByItsVersions() throws {
        let store = try pair.store()
        let error = try expectRefusal(
            of: store, NSMigrationMissingMappingModelError,
            ["Can't find mapping model", "entities that differ: Piece (the store's is another stars)"]
        ) { try load(store, pair.second, infers: false) }
        #expect(error.localizedRecoverySuggestion?.contains("Open the store with") == false, "\(error)")
        #expect(error.userInfo["sourceModel"] is NSManagedObjectModel)
        let destination = store.folder.file("New.sqlite")
        let manager = NSMigrationManager(sourceModel: pair.first, destinationModel: pair.second)
        try expectRefusal(
            of: store, NSMigrationMissingMappingModelError, ["Store.sqlite", "New.sqlite", "inferredMappingModel"]
        ) {
            try manager.migrateStore(
                from: store.url, sourceType: NSSQLiteStoreType, options: nil, with: nil, toDestinationURL: destination,
                destinationType: NSSQLiteStoreType, destinationOptions: nil)
        }
    }

    /// A mapping model for other versions of the same entities is not used, and named with what differs.
    @Test func oneOfOtherVersionsIsNamed() throws {
        let store = try pair.store()
        let file = try ResourceFile(pair.mapping { $0.destinationEntityVersionHash = Data(repeating: 7, count: 32) })
        for infers in [false, true] {
            try expectRefusal(
                of: store, NSMigrationMissingMappingModelError,
                ["\(file.name) names another version of the destination entity \"Piece\""]
            ) { try add(store, pair.second, [NSInferMappingModelAutomaticallyOption: infers]) }
        }
    }

    private func refuse(
        _ words: [String], entity: String? = "Piece", _ edit: (inout EntityMapping) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = try pair.store()
        let mapping = try pair.mappingModel(pair.mapping(edit))
        let manager = NSMigrationManager(sourceModel: pair.first, destinationModel: pair.second)
        try expectRefusal(
            of: store, NSMigrationError, ["Store.sqlite could not be migrated to New.sqlite", "PieceToPiece"] + words,
            entity: entity, sourceLocation: sourceLocation
        ) {
            try manager.migrateStore(
                from: store.url, type: .sqlite, mapping: mapping, to: store.folder.file("New.sqlite"), type: .sqlite)
        }
    }

    @Test func aMappingModelThatDoesNotFitSaysWhatIsWrong() throws {
        let hash = Data(repeating: 9, count: 32)
        try refuse(["another version of the source entity \"Piece\"", hash.base64EncodedString()]) {
            $0.sourceEntityVersionHash = hash
        }
        try refuse(["another version of the destination entity \"Piece\""]) { $0.destinationEntityVersionHash = hash }
        try refuse(["the source entity \"Work\", which the source model does not have"]) {
            $0.sourceEntityName = "Work"
        }
        try refuse(["the destination entity \"Work\", which the destination model"], entity: "Work") {
            $0.destinationEntityName = "Work"
        }
        // These would leave all objects behind without a word.
        try refuse(["names no source entity"]) { $0.sourceEntityName = nil }
        try refuse(["names no destination entity"]) { $0.destinationEntityName = nil }
    }

    /// An entity mapping without a name is carried out under the empty one; it stopped the program.
    @Test func anEntityMappingNeedsNoName() throws {
        let store = try pair.store()
        let mapping = try pair.mappingModel(pair.mapping())
        mapping.entityMappings[0].name = nil
        let result = try MigrationStore()
        try NSMigrationManager(sourceModel: pair.first, destinationModel: pair.second).migrateStore(
            from: store.url, type: .sqlite, mapping: mapping, to: result.url, type: .sqlite)
        try result.open(pair.second) { try check($0.texts("Piece", "stars"), ["4"]) }
    }

    /// The entity mappings of an inferred mapping model are objects: what is changed in one of them counts.
    @Test func editsOfAnInferredMappingAreCarriedOut() throws {
        let first = Versions.first()
        let second = Versions.changed { entities, _ in
            entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
        }
        let store = try MigrationStore(), result = try MigrationStore()
        try store.open(first) { Versions.fill($0) }
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second)
        let club = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Club" })
        let title = try #require(club.attributeMappings?.first { $0.name == "title" })
        title.valueExpression = try .parse("uppercase:($source.title)")
        try NSMigrationManager(sourceModel: first, destinationModel: second).migrateStore(
            from: store.url, type: .sqlite, mapping: mapping, to: result.url, type: .sqlite)
        try result.open(second) { try check($0.texts("Club", "title"), ["CHESS", "ROWING"]) }
    }
}
