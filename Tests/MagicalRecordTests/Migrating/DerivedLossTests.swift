#if canImport(ModelCompiler)
import CoreData
import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import ModelCompiler
import ModelFormat
import Testing

/// Random pairs of models with derived attributes: what a rehearsal and `modelc diff` announce is what happens.
@Suite(.slow)
struct DerivedLossTests {
    private static let seeds = 0..<LongForm.choose(20, long: 2_000)

    @Test(arguments: seeds)
    func announcedLossesHappenAndNoOthers(_ seed: Int) throws {
        var random = RandomVisits(seed: seed)
        let old = random.version(), new = random.changed(old)
        let (source, destination) = (old.model(), new.model())
        guard source.entityVersionHashesByName != destination.entityVersionHashesByName else { return }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Visits.sqlite")
        try open(url, source) { random.fill($0, old) }
        let before = try open(url, source) { try VisitContent($0, old) }

        let versions = MagicalRecord.ModelVersions([source, destination])
        let rehearsal = try MagicalRecord.rehearseMigration(of: .sqlite(at: url), through: versions)
        let report = try MagicalRecord.migrate(.sqlite(at: url), through: versions)
        let after = try open(url, destination) { try VisitContent($0, new) }
        let announced = try ModelCompiler.ModelComparison(old: values(source, folder), new: values(destination, folder))
            .changes.filter { $0.effect == .losesData }.map { "\($0.entity ?? "").\($0.property ?? "")" }

        let story = Comment(rawValue: "seed \(seed): \(old) -> \(new)")
        let losses = before.losses(from: old, to: new, after)
        #expect(rehearsal.losses.sorted() == losses.inRehearsal.sorted(), story)
        #expect(report.losses == rehearsal.losses, story)
        #expect(Set(announced) == losses.inModels, story)
        // Values the store computes are those of the new version.
        #expect(after.wrong == [], story)
    }

    @discardableResult
    private func open<Result>(
        _ url: URL, _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let result = try body(context)
            if context.hasChanges { try context.save() }
            return result
        }
    }

    private func values(_ model: NSManagedObjectModel, _ folder: URL) throws -> Model {
        let file = folder.appendingPathComponent("\(UUID().uuidString).momd")
        try model.write(to: file)
        return try #require(ModelBundle(contentsOf: file).currentVersion).model
    }
}

/// What a store of a version holds.
struct VisitContent {
    /// Values by the objects' keys and the attributes' numbers, as text; those of stored attributes and of derived ones.
    private var stored: [Int: [Int: String]] = [:]
    private var derived: [Int: [Int: String]] = [:]
    private var entities: [Int: String] = [:]
    private var extras = 0
    /// Derived values that are not what the expression says.
    private(set) var wrong: [String] = []

    init(_ context: NSManagedObjectContext, _ version: VisitVersion) throws {
        for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Visit")) {
            let (key, entity) = ((object.value(forKey: "key") as? Int) ?? -1, object.entity.name ?? "")
            let notes = (object.value(forKey: "notes") as? Set<NSManagedObject>) ?? []
            let stars = notes.compactMap { $0.value(forKey: "stars") as? Int }
            entities[key] = entity
            for attribute in version.attributes(of: entity) {
                let value = object.value(forKey: attribute.name)
                guard case .derived(let expression) = attribute.kind else {
                    stored[key, default: [:]][attribute.id] = value.map { "\($0)" }
                    continue
                }
                derived[key, default: [:]][attribute.id] = value.map { "\($0)" }
                let expected =
                    expression.contains("count")
                    ? stars.count : expression.contains("sum") ? stars.reduce(0, +) : stars.max()
                if !stars.isEmpty, value as? Int != expected { wrong.append("\(entity) \(key).\(attribute.name)") }
            }
        }
        if version.hasExtra { extras = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Extra")) }
    }

    /// What is not there any more, or was replaced: in the words of a rehearsal, and by the names `modelc diff` uses.
    func losses(
        from old: VisitVersion, to new: VisitVersion, _ after: VisitContent
    ) -> (inRehearsal: [String], inModels: Set<String>) {
        var words: [String] = []
        var places: Set<String> = []
        for entity in ["Visit", "Stay"] {
            let keys = entities.filter { $0.value == entity }.map(\.key)
            for attribute in old.attributes(of: entity) where attribute.kind.isStored {
                let lost = keys.filter { key in
                    stored[key]?[attribute.id].map { after.stored[key]?[attribute.id] != $0 } ?? false
                }
                guard !lost.isEmpty else { continue }
                words.append("\(lost.count) values of \(entity).\(attribute.name)")
                let owner = old.visit.contains { $0.id == attribute.id } ? "Visit" : "Stay"
                let present = new.attributes(of: entity).first { $0.id == attribute.id }
                places.insert("\(owner).\(present?.name ?? attribute.name)")
            }
            // Computed values that become stored ones stay.
            for attribute in old.attributes(of: entity) where !attribute.kind.isStored {
                guard new.attributes(of: entity).contains(where: { $0.id == attribute.id && $0.kind.isStored }) else {
                    continue
                }
                for key in keys where derived[key]?[attribute.id] != after.stored[key]?[attribute.id] {
                    words.append("\(entity) \(key).\(attribute.name), which became stored")
                }
            }
        }
        if extras != after.extras {
            words.append("\(extras - after.extras) objects of Extra")
            places.insert("Extra.")
        }
        return (words, places)
    }
}
#endif
