import Foundation
import ModelCompiler
import ModelFormat
import Testing

/// The classes follow the table of inferred migration: what Core Data carries out alone, what it refuses, what it drops.
@Suite("Differences of models")
struct DiffTests {
    private func person(_ body: String, _ attributes: String = "") -> String {
        "<entity name='Person' \(attributes)>\(body)</entity><entity name='Car'/><entity name='Van' parentEntity='Car'/>"
    }

    private func changes(_ old: String, _ new: String) throws -> [ModelChange] {
        func model(_ body: String) throws -> Model {
            try ModelDocument(xml: Data("<model>\(body)</model>".utf8)).model
        }
        return try ModelComparison(old: try model(old), new: try model(new)).changes
    }

    private func effects(_ old: String, _ new: String) throws -> [ModelChange.Effect] {
        try changes(person(old), person(new)).map(\.effect)
    }

    private let name = "<attribute name='name' optional='YES' attributeType='String'/>"

    @Test("of a model and itself are none")
    func equal() throws {
        #expect(try changes(person(name), person(name)).isEmpty)
    }

    @Test("in attributes")
    func attributes() throws {
        let age = "<attribute name='age' attributeType='Integer 16'"
        #expect(try effects("", name) == [.lightweight])
        let withDefault = "<attribute name='name' optional='YES' attributeType='String' defaultValueString='x'/>"
        #expect(try changes(person(""), person(withDefault)).first?.reason == "existing objects get the default")
        #expect(try effects("", "\(age)/>") == [.needsMapping])
        #expect(try effects("", "\(age) defaultValueString='0'/>") == [.lightweight])
        #expect(try effects("", "\(age) transient='YES'/>") == [.none])
        #expect(try effects(name, "") == [.losesData])
        #expect(try effects("\(age)/>", "<attribute name='age' attributeType='Integer 32'/>") == [.lightweight])
        #expect(try effects("\(age)/>", "<attribute name='age' attributeType='Boolean'/>") == [.needsMapping])
        #expect(try effects("\(age)/>", "<attribute name='age' attributeType='Decimal'/>") == [.needsMapping])
        let narrower = try changes(
            person("<attribute name='age' attributeType='Integer 64'/>"), person("\(age)/>"))
        #expect(narrower.map(\.effect) == [.lightweight])
        #expect(narrower.first?.reason.contains("fails with error 134110 where one does not fit") == true)
        #expect(try effects("\(age) optional='YES'/>", "\(age)/>") == [.needsMapping])
        #expect(
            try effects("\(age) optional='YES' defaultValueString='1'/>", "\(age) defaultValueString='1'/>") == [
                .lightweight
            ])
        #expect(try effects("\(age)/>", "\(age) optional='YES'/>") == [.lightweight])
        #expect(try effects("\(age) defaultValueString='1'/>", "\(age) defaultValueString='2'/>") == [.none])
        #expect(try effects("\(age)/>", "\(age) minValueString='2'/>") == [.none])
        #expect(try effects("\(age)/>", "\(age) transient='YES'/>") == [.losesData])
        #expect(try effects("\(age) transient='YES'/>", "\(age)/>") == [.needsMapping])
        #expect(try effects("\(age)/>", "\(age) versionHashModifier='2'/>") == [.lightweight])
        #expect(
            try effects(name, "<attribute name='title' elementID='name' optional='YES' attributeType='String'/>") == [
                .lightweight
            ])
    }

    @Test("in relationships")
    func relationships() throws {
        let cars = "<relationship name='cars' optional='YES' toMany='YES' destinationEntity='Car'"
        let car = "<relationship name='cars' optional='YES' maxCount='1' destinationEntity='Car'/>"
        #expect(try effects("", "\(cars)/>") == [.lightweight])
        #expect(try effects("\(cars)/>", "") == [.losesData])
        // Without an inverse, a car belongs to one of those that led to it.
        #expect(try effects(car, "\(cars)/>") == [.losesData, .lightweight])
        #expect(try effects("\(cars)/>", car) == [.needsMapping])
        #expect(try effects("\(cars)/>", "\(cars) ordered='YES'/>") == [.lightweight])
        #expect(try effects("\(cars) ordered='YES'/>", "\(cars)/>") == [.losesData])
        #expect(try effects("\(cars)/>", "\(cars) deletionRule='Cascade'/>") == [.none])
        let vans = cars.replacingOccurrences(of: "'Car'", with: "'Van'")
        let people = cars.replacingOccurrences(of: "'Car'", with: "'Person'")
        // Cars that are related would not fit: the migration fails where there are any.
        #expect(try effects("\(cars)/>", "\(vans)/>") == [.losesData])
        #expect(try effects("\(cars)/>", "\(people)/>") == [.losesData])
        #expect(
            try effects("\(cars)/>", "<attribute name='cars' optional='YES' attributeType='String'/>") == [
                .needsMapping
            ])
    }

    @Test("that stores may stand against say so, and fail what loses data")
    func hazards() throws {
        let models = try TemporaryModels()
        func model(_ name: String, _ destination: String) throws -> String {
            try models.model(
                name,
                "<entity name='Person'><relationship name='drives' optional='YES' toMany='YES' destinationEntity='\(destination)'/></entity>"
                    + "<entity name='Vehicle'/><entity name='Car' parentEntity='Vehicle'/><entity name='Van' parentEntity='Vehicle'/>"
            )
        }
        let (wide, narrow) = (try model("Wide", "Vehicle"), try model("Narrow", "Car"))
        let result = models.run("diff", wide, narrow, "--fail-on", "loss")
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                "loses data       drives: destination Vehicle to Car. Leads to Car, which objects of Van, Vehicle it may lead to "
                    + "are not; fails with error 134110 where a store holds references to such objects: add a relationship of "
                    + "another name, or write a mapping model that says what becomes of them."), "\(result.output)")
        #expect(models.run("diff", narrow, wide, "--fail-on", "loss").status == 0)
    }

    /// The framework compares version hashes, and these are the same: it opens the store, and each name has the values it had.
    @Test("that exchange names do nothing to stores")
    func exchangedNames() throws {
        func attribute(_ name: String, _ identifier: String) -> String {
            "<attribute name='\(name)' elementID='\(identifier)' optional='YES' attributeType='String'/>"
        }
        let old = attribute("first", "first") + attribute("last", "last")
        let found = try changes(person(old), person(attribute("first", "last") + attribute("last", "first")))
        #expect(found.map(\.change) == ["renamed from last", "renamed from first"])
        #expect(found.map(\.effect) == [.none, .none])
        #expect(found.map(\.reason).allSatisfy { $0.contains("opened as they are") })
    }

    @Test("in indexes alone do nothing to stores")
    func indexes() throws {
        let index =
            "<fetchIndex name='byName'><fetchIndexElement property='name' type='Binary' order='ascending'/></fetchIndex>"
        let found = try changes(person(name), person(name + index))
        #expect(found.map(\.change) == ["fetch indexes changed"])
        #expect(found.map(\.reason) == ["new ones are made when a store is next opened for writing"])
        let descending = index.replacingOccurrences(of: "ascending", with: "descending")
        for after in [name, name + descending] {
            #expect(
                try changes(person(name + index), person(after)).map(\.reason) == [
                    "the changes are made when a store is migrated, for which Person needs another version hash modifier"
                ])
        }
        let spatial = index.replacingOccurrences(of: "Binary", with: "RTree").replacingOccurrences(
            of: "byName", with: "at")
        #expect(
            try changes(person(name), person(name + index + spatial)).map(\.reason) == [
                "new ones are made when a store is next opened for writing; the other changes are made when a store is "
                    + "migrated, for which Person needs another version hash modifier"
            ])
        let both = try changes(person(name), person(name + index, "versionHashModifier='2'"))
        #expect(both.contains { $0.reason == "made when a store is migrated" })
    }

    @Test("in entities")
    func entities() throws {
        let pet = "<entity name='Pet'>\(name)</entity>"
        #expect(try changes(person(name), person(name) + pet).map(\.effect) == [.lightweight])
        #expect(try changes(person(name) + pet, person(name)).map(\.effect) == [.losesData])
        let animal = "<entity name='Animal' elementID='Pet'>\(name)</entity>"
        #expect(try changes(person(name) + pet, person(name) + animal).map(\.effect) == [.lightweight])
        // Without the identifier Core Data drops one and adds the other; the tool says what was probably meant.
        let unnamed = "<entity name='Animal'>\(name)</entity>"
        let lost = try changes(person(name) + pet, person(name) + unnamed)
        #expect(lost.map(\.effect) == [.lightweight, .losesData])
        #expect(lost.last?.reason.contains("give it the renaming identifier Pet") == true)
        let abstract = try changes(person(name), person(name, "isAbstract='YES'"))
        #expect(abstract.map(\.effect) == [.lightweight])
        #expect(abstract.first?.reason.contains("134110") == true)
        #expect(try changes(person(name, "isAbstract='YES'"), person(name)).map(\.effect) == [.lightweight])
        #expect(try changes(person(name), person(name, "representedClassName='Human'")).map(\.effect) == [.none])
        let unique =
            name
            + "<uniquenessConstraints><uniquenessConstraint><constraint value='name'/></uniquenessConstraint></uniquenessConstraints>"
        #expect(try changes(person(name), person(unique)).map(\.effect) == [.lightweight])
    }

    @Test("in inheritance")
    func inheritance() throws {
        let apart = "<entity name='A'>\(name)</entity><entity name='B'/>"
        let together =
            "<entity name='P'/><entity name='A' parentEntity='P'>\(name)</entity><entity name='B' parentEntity='P'/>"
        let merged = try changes(apart, together)
        #expect(merged.map(\.effect).max() == .needsMapping)
        // Up to the parent: the values stay.
        let low = "<entity name='P'/><entity name='A' parentEntity='P'>\(name)</entity>"
        let high = "<entity name='P'>\(name)</entity><entity name='A' parentEntity='P'/>"
        #expect(try changes(low, high).map(\.effect).max() == .lightweight)
        #expect(try changes(high, low).filter { $0.entity == "A" }.map(\.effect) == [.lightweight])
    }

    @Test("are printed in words, with an exit status for CI")
    func command() throws {
        let models = try TemporaryModels()
        let old = try models.model("Old", person(name))
        let new = try models.model("New", person(""))
        let result = models.run("diff", old, new)
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("Old -> New: loses data\n"))
        #expect(result.output.contains("loses data       name: removed attribute. Its values are dropped."))
        #expect(result.output.hasSuffix("\nThe changes only take away, as a migration back does.\n"))
        let back =
            "\nBack, from Old to New, a migration drops Person.name. A program of New gets error 134130 for a store"
        #expect(models.run("diff", new, old).output.contains(back))
        #expect(models.run("diff", old, new, "--fail-on", "never").status == 0)
        #expect(models.run("diff", new, old).status == 0)
        #expect(models.run("diff", new, old, "--fail-on", "any").status == 1)
        #expect(models.run("diff", old, old, "--fail-on", "any").output == "Old -> Old: no differences\n")
        #expect(models.run("diff", old).status == 2)
        #expect(models.run("diff", old, new, "--fail-on", "sometimes").status == 2)
        let json = try JSONSerialization.jsonObject(with: Data(models.run("diff", old, new, "--json").output.utf8))
        let changes = (json as? [String: Any])?["changes"] as? [[String: Any]]
        #expect(changes?.first?["effect"] as? String == "losesData")
    }

    @Test("between the versions of real models read well", .enabled(if: RealModels.areAvailable))
    func realModels() throws {
        let bundle = RealModels.path("stores/bookmarks/BookmarksModel.xcdatamodeld")
        let result = ModelTool.run(["diff", bundle, "--from", "BookmarksModel", "--to", "BookmarksModel 2"])
        #expect([0, 1].contains(result.status))
        #expect(!result.output.isEmpty)
        let store = ModelTool.run(["diff", RealModels.path("stores/sample/SampleModel2_V1.sqlite"), bundle])
        #expect(store.status == 1)
        // The store's model and the version it was made with agree.
        let same = ModelTool.run([
            "diff", RealModels.path("stores/syncmetadata/SyncMetadata_V3.sqlite"),
            RealModels.path("stores/syncmetadata/SyncMetadata.xcdatamodeld/SyncMetadata 3.xcdatamodel"),
        ])
        #expect(same.status == 0)
        #expect(same.output.contains("stores open as they are") || same.output.contains("no differences"))
    }
}
