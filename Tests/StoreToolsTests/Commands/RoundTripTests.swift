import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import StoreToolCommands
import Testing

/// What is exported and imported again, or copied, does not differ from what it was.
@Suite struct RoundTripTests {
    /// Imports exported files, each into the entity of its name, in one context.
    private static func read(
        _ files: [(entity: String, json: Data)], into url: URL, _ model: NSManagedObjectModel
    ) throws {
        try QuerySample.open(url, model) { context in
            for (entity, json) in files {
                let importer = try ImporterClass.of(entity)
                let report = try importer(json, context)
                #expect(report.failures.isEmpty, "\(entity): \(report.failures)")
            }
        }
    }

    /// Exports entities, imports them into a new store, and returns what differs.
    private func difference(
        _ url: URL, _ model: NSManagedObjectModel, _ entities: [String], keys: [String] = []
    ) throws -> CommandRunner.Result {
        let folder = try TemporaryFolder()
        let target = folder.file("Exported")
        let exported = CommandRunner.run(words: ["export", url.path] + entities + ["--to", target.path])
        try #require(exported.status == 0, "\(exported.errors)")
        let files = try entities.map { entity in
            (entity, try Data(contentsOf: target.appendingPathComponent("\(entity).ndjson")))
        }
        let copy = folder.file("Imported.sqlite")
        let importing = try #require(model.copy() as? NSManagedObjectModel)
        for (name, entity) in importing.entitiesByName { entity.managedObjectClassName = ImporterClass.name(of: name) }
        try Self.read(files, into: copy, importing)
        return CommandRunner.run(words: ["diff", url.path, copy.path] + entities + keys.flatMap { ["--key", $0] })
    }

    /// A model with import keys.
    private static func keyed() throws -> NSManagedObjectModel {
        let model = SameAnswerModel.make()
        for name in ["Person", "Place"] {
            model.entitiesByName[name]?.userInfo = ["relatedByAttribute": "serial"]
        }
        return model
    }

    @Test func objectsWithKeysAndCyclesOfEveryKind() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let model = try Self.keyed()
        try QuerySample.open(url, model) { context in
            var random = RandomSource(seed: 11)
            try SameAnswerModel.fill(context, &random, people: 40)
            // The positions of objects of subentities are not exported.
            for place in try context.fetchAll("Place") {
                let visitors = place.mutableOrderedSetValue(forKey: "visitors")
                for case let visitor as NSManagedObject in visitors.array where visitor.entity.name == "Worker" {
                    visitors.remove(visitor)
                }
            }
            for person in try context.fetchAll("Person") where random.below(2) == 0 {
                person.setValue(
                    Date(timeIntervalSinceReferenceDate: 0.123_456_78 + Double(random.below(800_000_000))),
                    forKey: "seen")
                person.setValue(NSDecimalNumber(string: "12345678901234567890.0123456789"), forKey: "price")
                person.setValue(Double(random.below(1000)) / 7, forKey: "ratio")
            }
        }
        let keys = ["Person=serial", "Place=serial"]
        let result = try difference(url, model, ["Place", "Person", "Worker"], keys: keys)
        #expect(result.output == "No differences.\n", "\(result)")
    }

    @Test func objectsWithoutKeysAndToOneCycles() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        let model = Versions.first()
        try QuerySample.open(url, model) { Versions.fill($0) }
        let keys = ["Person=name", "Company=title", "Club=title", "Card=number"]
        // An import could not make employees of the members of clubs.
        let refused = CommandRunner.run("export", url.path, "Club")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("refers to objects of the subentity Employee"))
        for entities in [["Employee"], ["Company"]] {
            let result = try difference(url, model, entities, keys: keys)
            #expect(result.output == "No differences.\n", "\(entities): \(result)")
        }
    }

    @Test func orderedRelationshipsDataAndComposites() throws {
        let sample = try QuerySample()
        let model = QuerySample.model()
        // Transformable values are not exported.
        try QuerySample.open(sample.url, model) { context in
            for book in try context.fetchAll("Book") { book.setValue(nil, forKey: "notes") }
            // Those of subentities are only in lines of their own.
            for book in try context.fetchAll("Novel") { context.delete(book) }
        }
        let keys = ["Author=name", "Book=title", "Tag=word", "Shelf=label"]
        for entities in [["Book"], ["Author"], ["Shelf"], ["Tag"]] {
            let result = try difference(sample.url, model, entities, keys: keys)
            #expect(result.output == "No differences.\n", "\(entities): \(result)")
        }
    }

    @Test(arguments: ["xml", "binary", "sqlite"])
    func copiesOfEveryTypeAndBackAreEqual(_ type: String) throws {
        for (name, make) in ValueStores.named where ["library", "people", "versions", "batch inserted"].contains(name) {
            let folder = try TemporaryFolder()
            let url = folder.file("Store.sqlite")
            _ = try make(url)
            let (other, back) = (folder.file("Other.\(type)").path, folder.file("Back.sqlite").path)
            let there = CommandRunner.run("copy", url.path, other)
            #expect(there.status == 0, "\(name): \(there.errors)")
            let again = CommandRunner.run("copy", other, back, "--model", url.path)
            #expect(again.status == 0, "\(name): \(again.errors)")
            let diff = CommandRunner.run("diff", url.path, back)
            #expect(diff.status == 0 || name == "versions" || name == "library", "\(name): \(diff.output)")
            let keys = ["Person=name", "Company=title", "Club=title", "Card=number"]
            guard name == "versions" else { continue }
            let keyed = CommandRunner.run(words: ["diff", url.path, back] + keys.flatMap { ["--key", $0] })
            #expect(keyed.output == "No differences.\n", "\(keyed.output)")
        }
    }
}

/// The classes of imported objects, one for each entity.
private enum ImporterClass {
    typealias Import = (Data, NSManagedObjectContext) throws -> MagicalRecord.ImportReport

    private static let all: [String: NSManagedObject.Type] = [
        "Person": RoundTripPerson.self, "Worker": RoundTripWorker.self, "Place": RoundTripPlace.self,
        "Employee": RoundTripEmployee.self, "Company": RoundTripCompany.self, "Club": RoundTripClub.self,
        "Card": RoundTripCard.self, "Book": RoundTripBook.self, "Novel": RoundTripNovel.self,
        "Author": RoundTripAuthor.self, "Shelf": RoundTripShelf.self, "Tag": RoundTripTag.self,
    ]

    static func name(of entity: String) -> String { all[entity].map(NSStringFromClass) ?? "NSManagedObject" }

    static func of(_ entity: String) throws -> Import {
        let type = try #require(all[entity])
        return { json, context in try type.importAll(from: json, in: context) }
    }
}

class RoundTripPerson: NSManagedObject {}
final class RoundTripWorker: RoundTripPerson {}
final class RoundTripEmployee: RoundTripPerson {}
final class RoundTripPlace: NSManagedObject {}
final class RoundTripCompany: NSManagedObject {}
final class RoundTripClub: NSManagedObject {}
final class RoundTripCard: NSManagedObject {}
class RoundTripBook: NSManagedObject {}
final class RoundTripNovel: RoundTripBook {}
final class RoundTripAuthor: NSManagedObject {}
final class RoundTripShelf: NSManagedObject {}
final class RoundTripTag: NSManagedObject {}
