import MagicalRecord
import MagicalRecordTesting
import Testing

/// Reverses the order of a note's parts.
final class ReversingPolicy: NSEntityMigrationPolicy {
    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
        let parts = dInstance.value(forKey: "parts") as? NSOrderedSet
        dInstance.setValue(parts?.reversed, forKey: "parts")
    }
}

/// Differences that look like others, and what looks like one and is not.
struct MigrationDifferenceTests {
    /// `Note` with ordered parts, which may be drafts; `many` makes both sides ordered and to-many.
    private func parts(_ kind: Bool = false, drafts: Bool = false, many: Bool = false) -> NSManagedObjectModel {
        let note = Build.entity("Note"), part = Build.entity("Part"), draft = Build.entity("Draft")
        note.properties = kind ? [Build.attribute("kind", .stringAttributeType)] : []
        part.properties = [Build.attribute("text", .stringAttributeType)]
        Build.inverse(
            Build.relationship("parts", of: note, to: part, many: true, ordered: true),
            Build.relationship("note", of: part, to: note, many: many, ordered: many))
        guard drafts else { return Build.model(note, part) }
        part.subentities = [draft]
        return Build.model(note, part, draft)
    }

    /// A note with the parts a, b and c, each of the given entity.
    private func fillParts(_ entities: [String]) -> (NSManagedObjectContext) throws -> Void {
        { context in
            let parts = zip(["a", "b", "c"], entities).map { text, entity in
                let part = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                part.setValue(text, forKey: "text")
                return part
            }
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                .setValue(NSOrderedSet(array: parts), forKey: "parts")
        }
    }

    private func number(_ type: NSAttributeType) -> NSManagedObjectModel {
        let note = Build.entity("Note")
        note.properties = [Build.attribute("stars", type)]
        return Build.model(note)
    }

    // MARK: Links

    /// Only the ordered side has an order: the links of its inverse are the same as before.
    @Test(arguments: [false, true]) func anotherOrderIsFound(ofManyToMany many: Bool) throws {
        let versions = MagicalRecord.ModelVersions([parts(many: many), parts(true, many: many)])
        let given = try NSMappingModel.inferredMappingModel(
            forSourceModel: versions.models[0], destinationModel: versions.models[1])
        for mapping in given.entityMappings ?? [] where mapping.destinationEntityName == "Note" {
            mapping.entityMigrationPolicyClassName = NSStringFromClass(ReversingPolicy.self)
        }
        let stores = try OldStores()
        try stores.add("Notes.sqlite", versions.models[0], fillParts(["Part", "Part", "Part"]))
        expectIssues("Notes.sqlite: Note.parts has its 3 links in another order") {
            expectMigration(
                of: stores.folder, to: .model(versions.models[1]), migration: .through(versions, mappings: [given]))
        }
    }

    /// The first part goes with its entity, and the others keep their order.
    @Test func linksToRemovedEntitiesDoNotChangeTheOrder() throws {
        let versions = MagicalRecord.ModelVersions([parts(drafts: true), parts()])
        let stores = try OldStores()
        try stores.add("Notes.sqlite", versions.models[0], fillParts(["Draft", "Part", "Part"]))
        let outcomes = expectMigration(
            of: stores.folder, to: .model(versions.models[1]), migration: .through(versions))
        #expect(outcomes.stores.map(\.losses) == [["1 objects of Draft"]])
        #expect(outcomes.stores.first?.entities.map(\.links) == [2, 0, 0])
    }

    // MARK: Values

    #if !canImport(Darwin)
    /// As double, the float 0.1 is 0.10000000149011612. Apple's framework infers no such migration.
    @Test func floatsMayBecomeDoubles() throws {
        let versions = MagicalRecord.ModelVersions([number(.floatAttributeType), number(.doubleAttributeType)])
        let stores = try OldStores()
        try stores.add(
            "Notes.sqlite", versions.models[0], OldStores.fillNotes([["stars": Float(0.1)], ["stars": Float(1e10)]]))
        let outcomes = expectMigration(
            of: stores.folder, to: .model(versions.models[1]), migration: .through(versions))
        #expect(outcomes.stores.first?.entities.map(\.values) == [2])
        #expect(outcomes.stores.map(\.losses) == [[]])
    }
    #endif

    /// SQLite has no column value for NaN; binary stores and lists of numbers have NaN.
    @Test func notANumberIsEqualToItself() throws {
        let note = Build.entity("Note"), list = Build.attribute("list", .transformableAttributeType)
        list.valueTransformerName = "NSSecureUnarchiveFromData"
        note.properties = [Build.attribute("stars", .doubleAttributeType), list]
        let model = Build.model(note)
        let stores = try OldStores()
        for (file, type) in [("Notes.data", NSBinaryStoreType), ("Notes.sqlite", NSSQLiteStoreType)] {
            try stores.add(
                file, model, type: type,
                OldStores.fillNotes([["stars": Double.nan, "list": [Double.nan, 1] as NSArray]]))
        }
        let outcomes = expectMigration(of: stores.folder, to: .model(model))
        #expect(outcomes.failures == [])
        #expect(outcomes.stores.map { $0.entities.map(\.values) } == [[2], [1]])
    }

    @Test func decimalsAreCompared() throws {
        let model = number(.decimalAttributeType)
        let stores = try OldStores()
        try stores.add(
            "Notes.sqlite", model,
            OldStores.fillNotes([["stars": NSDecimalNumber(string: "1.5")], ["stars": NSDecimalNumber(string: "0.1")]]))
        let outcomes = expectMigration(of: stores.folder, to: .model(model))
        #expect(outcomes.failures == [])
        #expect(outcomes.stores.first?.entities.map(\.values) == [2])
    }

    // MARK: Objects

    /// An entity that still exists has no more objects.
    @Test func objectsOfEntitiesThatBecameAbstractAreLost() throws {
        func memos(abstract: Bool) -> NSManagedObjectModel {
            let note = Build.entity("Note"), memo = Build.entity("Memo")
            note.properties = [Build.attribute("title", .stringAttributeType)]
            note.isAbstract = abstract
            note.subentities = [memo]
            return Build.model(note, memo)
        }
        let versions = MagicalRecord.ModelVersions([memos(abstract: false), memos(abstract: true)])
        let given = try NSMappingModel.inferredMappingModel(
            forSourceModel: versions.models[0], destinationModel: versions.models[1])
        for mapping in given.entityMappings ?? [] where mapping.sourceEntityName == "Note" {
            mapping.mappingType = .removeEntityMappingType
            (mapping.destinationEntityName, mapping.destinationEntityVersionHash) = (nil, nil)
            (mapping.attributeMappings, mapping.relationshipMappings) = (nil, nil)
        }
        let stores = try OldStores()
        try stores.add("Notes.sqlite", versions.models[0], OldStores.fillNotes([["title": "Milk"], ["title": "Eggs"]]))
        func outcomes(allowing names: Set<String> = []) -> MigrationOutcomes {
            expectMigration(
                of: stores.folder, to: .model(versions.models[1]),
                migration: .through(versions, mappings: [given]), allowing: names)
        }
        expectIssues("Notes.sqlite: Note lost 2 objects") { outcomes() }
        #expect(outcomes(allowing: ["Note"]).stores.map(\.losses) == [["Note lost 2 objects"]])
    }

    // MARK: Symbolic links

    /// The store of a release under another name, as build systems lay out files.
    @Test(arguments: [false, true]) func linkedStoresHaveTheirExternalData(besideLink: Bool) throws {
        let stores = try OldStores()
        let file = stores.place("Elsewhere/3f2a.sqlite")
        try stores.write(file, PeopleVersions.first(), PeopleVersions.fillFirst)
        try FileManager.default.createSymbolicLink(
            at: stores.folder.appendingPathComponent("People.sqlite"), withDestinationURL: file)
        if besideLink {
            try FileManager.default.moveItem(
                at: stores.place("Elsewhere/.3f2a_SUPPORT"), to: stores.folder.appendingPathComponent(".People_SUPPORT")
            )
        }
        try expectPeople(in: stores)
    }

    /// The rows are in the log alone.
    @Test(arguments: [false, true]) func linkedStoresHaveTheirLogs(besideLink: Bool) throws {
        let stores = try OldStores()
        let original = stores.place("Original/People.sqlite"), file = stores.place("Elsewhere/3f2a.sqlite")
        try FileManager.default.createDirectory(
            at: stores.place("Elsewhere"), withIntermediateDirectories: true)
        let link = stores.folder.appendingPathComponent("People.sqlite")
        try stores.write(
            original, PeopleVersions.first(),
            whileOpen: { url in
                for ending in ["", "-wal", "-shm"] {
                    let place = besideLink && !ending.isEmpty ? link : file
                    try FileManager.default.copyItem(atPath: url.path + ending, toPath: place.path + ending)
                }
            }, { context in try PeopleVersions.fillFirst(context) })
        try FileManager.default.moveItem(
            at: stores.place("Original/.People_SUPPORT"), to: stores.place("Elsewhere/.3f2a_SUPPORT"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try expectPeople(in: stores)
    }

    private func expectPeople(in stores: OldStores) throws {
        let outcomes = expectMigration(
            of: stores.folder, to: .model(PeopleVersions.versions.models[1]),
            migration: .through(PeopleVersions.versions))
        #expect(outcomes.stores.map(\.store) == ["People.sqlite"])
        #expect(outcomes.stores.first?.entities.map(\.before) == [3, 2, 1])
        #expect(outcomes.stores.first?.entities.map(\.values) == [3, 3, 0])
    }
}
