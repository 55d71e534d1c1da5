import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Each rule of lightweight migration on a real store, by the database and, where it says so, object by object.
struct RuleTests {
    /// Migrates a filled store to a version and looks at it.
    private func migrate(
        _ model: NSManagedObjectModel, from source: NSManagedObjectModel = Versions.first(),
        _ look: (NSManagedObjectContext) throws -> Void
    ) throws {
        let store = try MigrationStore()
        try store.open(source) { Versions.fill($0) }
        try store.migrate(to: model)
        try store.open(model, look)
        try check(MigrationStore.schema(store.url), MigrationStore.schema(ofNewStore: model))
        try check(StoreAuditor(store.url, model.layouts).problems(), [])
        if StoreKind.hasServer { try migrateInServer(model, from: source, look) }
        // Object by object.
        let other = try MigrationStore()
        try other.open(source) { Versions.fill($0) }
        let manager = NSMigrationManager(sourceModel: source, destinationModel: model)
        manager.usesStoreSpecificMigrationManager = false
        let result = try MigrationStore()
        try manager.migrateStore(
            from: other.url, sourceType: NSSQLiteStoreType,
            with: .inferredMappingModel(forSourceModel: source, destinationModel: model), toDestinationURL: result.url,
            destinationType: NSSQLiteStoreType)
        try result.open(model, look)
    }

    private func migrateInServer(
        _ model: NSManagedObjectModel, from source: NSManagedObjectModel,
        _ look: (NSManagedObjectContext) throws -> Void
    ) throws {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(source) { Versions.fill($0) }
        try store.migrate(to: model)
        try store.open(model, look)
        try check(store.schema(), MigrationStore.schema(ofNewStore: model, type: store.type))
    }

    private static let types = [NSSQLiteStoreType] + (StoreKind.hasServer ? [StoreKind.postgreSQL.type] : [])

    @Test func attributesComeAndGo() throws {
        let model = Versions.changed { entities, _ in
            guard let person = entities["Person"] else { return }
            person.properties =
                person.properties.filter { $0.name != "age" } + [
                    LibraryModel.attribute("nick", .stringAttributeType, default: "x"),
                    LibraryModel.attribute("score", .integer16AttributeType, optional: false, default: 7),
                ]
        }
        try migrate(model) { context in
            try check(context.texts("Person", "score"), ["7", "7", "7"])
            // The usual case: Xcode makes new attributes optional.
            try check(context.texts("Person", "nick"), ["x", "x", "x"])
            try check(context.texts("Person", "name"), ["Ann", "Bob", "Cem"])
        }
    }

    @Test func missingValuesOfNowRequiredAttributesGetTheDefault() throws {
        let model = Versions.changed { entities, _ in
            entities["Person"]?.attributesByName["age"]?.isOptional = false
            entities["Person"]?.attributesByName["age"]?.defaultValue = 18
            entities["Person"]?.attributesByName["born"]?.isOptional = true
        }
        try migrate(model) { try check($0.texts("Person", "age"), ["18", "30", "50"]) }
    }

    @Test func namesChange() throws {
        let model = Versions.changed { entities, _ in
            entities["Person"]?.name = "Zebra"
            entities["Person"]?.renamingIdentifier = "Person"
            entities["Person"]?.attributesByName["name"]?.renamingIdentifier = "name"
            entities["Person"]?.attributesByName["name"]?.name = "called"
            entities["Person"]?.relationshipsByName["clubs"]?.renamingIdentifier = "clubs"
            entities["Person"]?.relationshipsByName["clubs"]?.name = "memberOf"
        }
        try migrate(model) { context in
            try check(context.texts("Zebra", "called"), ["Ann", "Bob", "Cem"])
            let ann = try context.one("Zebra", "called", "Ann")
            #expect(context.texts(ann, "memberOf", "title") == ["Chess", "Rowing"])
            #expect(
                try context.one("Employee", "called", "Bob").value(forKeyPath: "company.title") as? String == "Acme")
        }
    }

    @Test func toOneBecomesToMany() throws {
        let model = Versions.changed { entities, _ in
            entities["Employee"]?.relationshipsByName["company"]?.maxCount = 0
            entities["Person"]?.relationshipsByName["card"]?.maxCount = 0
            entities["Person"]?.relationshipsByName["clubs"]?.isOrdered = true
        }
        try migrate(model) { context in
            try check(context.texts(context.one("Employee", "name", "Bob"), "company", "title"), ["Acme"])
            try check(context.texts(context.one("Person", "name", "Ann"), "card", "number"), ["1"])
            try check(context.texts(context.one("Person", "name", "Ann"), "clubs", "title"), ["Chess", "Rowing"])
        }
    }

    @Test func propertiesMoveUpAndEntitiesIntoAHierarchy() throws {
        let model = Versions.changed { entities, model in
            guard let person = entities["Person"], let employee = entities["Employee"], let club = entities["Club"]
            else { return }
            let salary = employee.properties.filter { $0.name == "salary" && $0.entity === employee }
            employee.properties = employee.properties.filter { $0.entity === employee && $0.name != "salary" }
            person.properties += salary
            let group = LibraryModel.entity("AGroup")
            group.isAbstract = true
            model.entities += [group]
            group.subentities = [club]
        }
        try migrate(model) { context in
            try check(context.texts("Person", "salary"), ["100.5", "nil", "nil"])
            try check(context.texts("AGroup", "objectID").count, 2)
        }
    }

    @Test func removedEntitiesLeaveNothingBehind() throws {
        let model = Versions.changed { entities, model in
            model.entities = model.entities.filter { $0.name != "Employee" }
            entities["Person"]?.subentities = []
            if let company = entities["Company"] {
                company.properties = company.properties.filter { $0.name != "staff" }
            }
        }
        try migrate(model) { context in
            try check(context.texts("Person", "name"), ["Ann"])
            try check(context.texts(context.one("Club", "title", "Chess"), "members", "name"), ["Ann"])
            try check(context.texts("Card", "owner").filter { $0 == "nil" }.count, 1)
        }
    }

    @Test func derivedAttributesAreComputed() throws {
        let model = Versions.changed { entities, _ in
            entities["Company"]?.properties += [Versions.derived("size", "staff.@count")]
        }
        try migrate(model) { try check($0.texts("Company", "size"), ["2"]) }
    }

    @Test(arguments: types)
    func newConstraintsAreEnforced(_ type: String) throws {
        let fine = Versions.changed { entities, _ in entities["Club"]?.uniquenessConstraints = [["title"]] }
        try migrate(fine) { try check($0.texts("Club", "title"), ["Chess", "Rowing"]) }
        let store = try MigrationStore(type: type)
        let first = Versions.first()
        try store.open(first) { context in
            Versions.fill(context)
            context.insert("Club", ["title": "Chess"])
        }
        do {
            try store.migrate(to: fine)
            Issue.record("Duplicates passed.")
        } catch let error as NSError {
            #expect(error.code == NSMigrationConstraintViolationError)
            #expect(error.localizedFailureReason?.contains("Chess") == true)
            #expect((error.userInfo[NSAffectedObjectsErrorKey] as? [URL])?.count == 2)
        }
        // The store is as it was.
        try store.open(first) { try check($0.texts("Club", "title"), ["Chess", "Chess", "Rowing"]) }
    }

    @Test(arguments: types)
    func abstractEntitiesMustBeEmpty(_ type: String) throws {
        let model = Versions.changed { entities, _ in entities["Person"]?.isAbstract = true }
        let store = try MigrationStore(type: type)
        try store.open(Versions.first()) { Versions.fill($0) }
        #expect(code { try store.migrate(to: model) } == NSMigrationError)
        try store.open(Versions.first()) { context in
            context.delete(try context.one("Person", "name", "Ann"))
        }
        try store.migrate(to: model)
        try store.open(model) { try check($0.texts("Person", "name"), ["Bob", "Cem"]) }
    }

    @Test(arguments: types)
    func objectIDsStay(_ type: String) throws {
        let store = try MigrationStore(type: type)
        let before = try store.open(Versions.first()) { context in
            Versions.fill(context)
            try context.save()
            return try context.one("Club", "title", "Chess").objectID.uriRepresentation()
        }
        let model = Versions.changed { entities, model in
            model.entities += [LibraryModel.entity("Aardvark")]
            entities["Club"]?.properties += [LibraryModel.attribute("city", .stringAttributeType)]
        }
        try store.migrate(to: model)
        try store.open(model) { try check($0.one("Club", "title", "Chess").objectID.uriRepresentation(), before) }
    }

    @Test func historyFollows() throws {
        let store = try MigrationStore()
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        try store.open(Versions.first(), options: options) { context in
            Versions.fill(context)
            try context.save()
            try context.one("Club", "title", "Chess").setValue("Go", forKey: "title")
        }
        let model = Versions.changed { entities, model in
            model.entities += [LibraryModel.entity("Aardvark")]
            entities["Club"]?.attributesByName["title"]?.renamingIdentifier = "title"
            entities["Club"]?.attributesByName["title"]?.name = "zName"
            entities["Club"]?.properties += [LibraryModel.attribute("city", .stringAttributeType)]
        }
        try store.migrate(to: model)
        try store.open(model, options: options) { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let changes = (result?.result as? [NSPersistentHistoryTransaction] ?? []).flatMap { $0.changes ?? [] }
            let update = changes.first { $0.changeType == .update && $0.changedObjectID.entity.name == "Club" }
            #expect(update?.updatedProperties?.map(\.name) == ["zName"])
            #expect(changes.filter { $0.changeType == .insert }.count == 8)
        }
    }

    @Test func externalValuesMoveIntoFiles() throws {
        func model(external: Bool) -> NSManagedObjectModel {
            let book = LibraryModel.entity("Book")
            let cover = LibraryModel.attribute("cover", .binaryDataAttributeType)
            cover.allowsExternalBinaryDataStorage = external
            cover.versionHashModifier = external ? "2" : "1"
            book.properties = [cover]
            let model = NSManagedObjectModel()
            model.entities = [book]
            return model
        }
        let store = try MigrationStore()
        let value = Data(repeating: 7, count: 300_000)
        try store.open(model(external: true)) { $0.insert("Book", ["cover": value]) }
        // To and fro.
        let options = MigrationStore.automatically.merging([NSMigratePersistentStoresBackwardOption: true]) { $1 }
        for isExternal in [false, true, false] {
            try store.open(model(external: isExternal), options: options) { _ in }
            try store.open(model(external: isExternal)) { context in
                try check(context.fetchAll("Book").map { $0.value(forKey: "cover") as? Data }, [value])
            }
            let files = (try? FileManager.default.subpathsOfDirectory(atPath: store.folder.url.path)) ?? []
            #expect(files.contains { $0.contains("_EXTERNAL_DATA/") } == isExternal, "\(files)")
            #expect(!files.contains { $0.contains("migration-") })
        }
    }
}
