import Foundation
import Testing

@testable import CoreData

/// Random pairs of models with random data: migrated by the database and object by object, and compared with what the
/// changes mean, which the test knows by itself.
struct RandomMigrationTests {
    @Test(arguments: 0..<60)
    func randomChangesKeepEveryValue(_ seed: Int) throws {
        var random = RandomSketches(seed: seed)
        let old = random.model()
        let (new, words) = random.change(old)
        let story = Comment(rawValue: "seed \(seed): \(words.joined(separator: ", "))")
        let (source, destination) = (old.makeModel(), new.makeModel())
        let store = try MigrationStore()
        let before = try store.open(source) { context in
            random.fill(context, old)
            try context.save()
            context.reset()
            return try SketchGraph(context, old)
        }
        #expect(before.nodes.count > 10)
        let expected = before.expected(from: old, to: new)

        // Object by object, into another file.
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        manager.usesStoreSpecificMigrationManager = false
        let other = try MigrationStore()
        try manager.migrateStore(
            from: store.url, type: .sqlite, mapping: mapping, to: other.url, type: .sqlite)
        let byObjects = try other.open(destination) { try SketchGraph($0, new) }
        #expect(byObjects.differences(from: expected, old: old, new: new) == [], story)

        // In place.
        try store.migrate(to: destination)
        let inPlace = try store.open(destination) { try SketchGraph($0, new) }
        #expect(inPlace.differences(from: expected, old: old, new: new) == [], story)
        #expect(try MigrationStore.schema(store.url) == MigrationStore.schema(ofNewStore: destination), story)
        #expect(try StoreAuditor(store.url, destination.layouts).problems() == [], story)
    }
}
