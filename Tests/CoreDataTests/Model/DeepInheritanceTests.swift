import CoreData
import CoreDataTestSupport
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Each entity inherits from the last one.
@Suite("Deep inheritance")
struct DeepInheritanceTests {
    /// - Parameter distance: the distance of the levels that have an attribute; the last one has one too. An entity's version hash is
    ///   made of all attributes, inherited ones too, so what it costs grows with their square whatever one does.
    private func model(levels: Int, attributeEvery distance: Int) -> NSManagedObjectModel {
        let entities = (0..<levels).map { level in
            let entity = LibraryModel.entity("Level\(level)")
            if level % distance == 0 || level == levels - 1 {
                entity.properties = [LibraryModel.attribute("value\(level)", .integer64AttributeType)]
            }
            return entity
        }
        for (entity, below) in zip(entities, entities.dropFirst()) { entity.subentities = [below] }
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// What this thread takes to make a store, save an object of the deepest entity, and fetch it, in nanoseconds.
    private func cost(levels: Int, _ kind: StoreKind) throws -> UInt64 {
        let model = model(levels: levels, attributeEvery: 100)
        let begin = threadTime()
        let library = try Library(model, store: kind), context = library.context
        try context.performAndWait {
            context.insert("Level\(levels - 1)", ["value0": 7, "value\(levels - 1)": 8])
            try context.save()
            context.reset()
            for name in ["Level\(levels - 1)", "Level0"] {
                let object = try #require(context.fetchAll(name).first)
                #expect(object.entity.name == "Level\(levels - 1)")
                #expect(object.value(forKey: "value0") as? Int == 7)
                #expect(object.value(forKey: "value\(levels - 1)") as? Int == 8)
            }
        }
        return threadTime() - begin
    }

    private func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Four times the levels took 11 to 14 times as long.
    @Test(arguments: StoreKind.allCases)
    func costsGrowWithTheLevelsAndNoFaster(_ kind: StoreKind) throws {
        _ = try cost(levels: 40, kind)
        let few = try (0..<2).map { _ in try cost(levels: 150, kind) }.min() ?? 0
        let many = try (0..<2).map { _ in try cost(levels: 600, kind) }.min() ?? 0
        #expect(many < few * 8, "\(few / 1000) µs for 150 levels, \(many / 1000) µs for 600")
    }

    /// Each level's properties listed for every level below it would be 31,125 of them.
    @Test func aStoreKeepsADeepModelWithoutRepeatingIt() throws {
        let model = model(levels: 250, attributeEvery: 1)
        let library = try Library(model, store: .sqlite)
        let url = try #require(library.coordinator.persistentStores.first?.url)
        let kept = try NSManagedObjectModel(cachedInStoreAt: url)
        #expect(kept.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(kept.entitiesByName["Level249"]?.attributesByName.count == 250)
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        #expect(try #require(size) < 400_000)
    }

    @Test func everyLevelHasWhatItInherits() throws {
        let model = model(levels: 60, attributeEvery: 1)
        let library = try Library(model, store: .sqlite), context = library.context
        try context.performAndWait {
            for level in [0, 30, 59] {
                context.insert("Level\(level)", ["value0": level]).setValue(level, forKey: "value\(level)")
            }
            try context.save()
            context.reset()
            let objects = try context.fetchAll("Level0").sorted {
                ($0.value(forKey: "value0") as? Int ?? 0) < ($1.value(forKey: "value0") as? Int ?? 0)
            }
            #expect(objects.map { $0.entity.name } == ["Level0", "Level30", "Level59"])
            #expect(objects.map { $0.entity.attributesByName.count } == [1, 31, 60])
            #expect(objects.last?.value(forKey: "value59") as? Int == 59)
            let names = objects[1].entity.properties.map(\.name)
            #expect(names == (0...30).map { "value\($0)" })
        }
    }
}
