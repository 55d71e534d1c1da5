import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Models made by Xcode and Apple's compiler, from public projects.
enum RealModels {
    static let folder = RealStores.folder.deletingLastPathComponent()
    static var areAvailable: Bool { FileManager.default.fileExists(atPath: folder.path) }
    static let comment: Comment = "The models made by Apple's tools are not beside the package (../shared/data)."

    /// Every model file or bundle, by path below the folder.
    static let all: [String] = {
        let kinds: Set<String> = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { kinds.contains(($0 as NSString).pathExtension) }.sorted()
    }()

    static func load(_ path: String) throws -> NSManagedObjectModel {
        try #require(NSManagedObjectModel(contentsOf: folder.appendingPathComponent(path)))
    }
}

@Suite("Real models", .enabled(if: RealModels.areAvailable, RealModels.comment))
struct RealModelTests {
    @Test("Every model loads, and its references are complete", arguments: RealModels.all)
    func loading(_ path: String) throws {
        let model = try RealModels.load(path)
        #expect(!model.entities.isEmpty)
        for entity in model.entities {
            #expect(entity.managedObjectModel === model)
            #expect(entity.versionHash.count == 32)
            for relationship in entity.relationshipsByName.values {
                let destination = try #require(relationship.destinationEntity)
                #expect(destination.managedObjectModel === model)
                if let inverse = relationship.inverseRelationship {
                    #expect(destination.relationshipsByName[inverse.name] === inverse)
                }
            }
            for property in entity.properties {
                #expect(property.validationPredicates.count == property.validationWarnings.count)
            }
        }
    }

    @Test("A copy of a real model is equal to it and has its hashes", arguments: RealModels.all)
    func copying(_ path: String) throws {
        let model = try RealModels.load(path)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("The versions of a model include the one its store was written with", arguments: RealStores.all)
    func stores(_ sample: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: copy.url, options: nil)
        guard let path = sample.model else { return }
        let folder = RealStores.folder.appendingPathComponent(path).deletingLastPathComponent()
        let versions = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "xcdatamodel" }
            .map { try #require(NSManagedObjectModel(contentsOf: $0)) }
        let matching = versions.filter { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
        #expect(!matching.isEmpty)
        let merged = try #require(NSManagedObjectModel(byMerging: versions, forStoreMetadata: metadata))
        #expect(merged.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    @Test("A compiled bundle opens at its current version, and tells the checksums of all")
    func bundle() throws {
        let url = RealModels.folder.appendingPathComponent("stores/sample/SampleModel.momd")
        let model = try #require(NSManagedObjectModel(contentsOf: url))
        let versions = try ["SampleModel", "SampleModel2", "SampleModel3"].map {
            try #require(NSManagedObjectModel(contentsOf: url.appendingPathComponent("\($0).mom")))
        }
        #expect(versions.contains(model))
        let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: url)
        #expect(checksums.count == 3)
        #expect(Set(checksums.values) == Set(versions.map(\.versionChecksum)))
        #expect(throws: CocoaError.self) {
            try NSManagedObjectModel.checksumsForVersionedModel(at: URL(fileURLWithPath: "/nowhere.momd"))
        }
    }

    @Test("The compiled and the source form of a model give the same hashes")
    func compiledAndSource() throws {
        for version in ["SampleModel", "SampleModel2", "SampleModel3"] {
            let compiled = try RealModels.load("stores/sample/SampleModel.momd/\(version).mom")
            let source = try RealModels.load("stores/sample/SampleModel.xcdatamodeld/\(version).xcdatamodel")
            #expect(compiled.entityVersionHashesByName == source.entityVersionHashesByName)
            #expect(
                compiled.entitiesByName["Car"]?.attributesByName.keys
                    == source.entitiesByName["Car"]?.attributesByName.keys)
        }
    }

    @Test("User info, defaults and rules of a source model arrive in the descriptions")
    func contents() throws {
        // MagicalRecord's own test model, whose import keys live in the user info.
        let model = try RealModels.load("models/magicalrecord-tests/TestModel.xcdatamodeld")
        let annotated = model.entities.flatMap(\.properties).filter { $0.userInfo?["mappedKeyName"] != nil }
        #expect(!annotated.isEmpty)
        #expect(annotated.allSatisfy { $0.userInfo?["mappedKeyName"] is String })
        let names = model.entities.compactMap(\.managedObjectClassName)
        #expect(names.contains { $0 != "NSManagedObject" })
    }
}
