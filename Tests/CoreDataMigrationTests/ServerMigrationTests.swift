#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import CoreData

/// Migrations of PostgreSQL stores: what is altered, what is locked, and what is refused. Expectations are asked from the
/// server.
@Suite("Migrations in a PostgreSQL database", .enabled(if: TestServer.isAvailable))
struct ServerMigrationTests {
    private let first = Versions.first()

    private func filled() throws -> MigrationStore {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(first) { Versions.fill($0) }
        return store
    }

    private func schema(_ store: MigrationStore) -> String { store.url.user ?? "" }

    private func execute(_ store: MigrationStore, _ statements: String...) throws {
        try TestServer.execute(
            ["SET search_path = \(schema(store))"]
                + statements.map { $0.replacingOccurrences(of: "SCHEMA", with: schema(store)) } + ["RESET search_path"])
    }

    private func texts(_ store: MigrationStore, _ sql: String) throws -> [String] {
        try ServerCatalogue.texts(sql.replacingOccurrences(of: "SCHEMA", with: schema(store)))
    }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch { return error as NSError }
    }

    /// Everything that is in the tables of the first version.
    private func rows(_ store: MigrationStore) throws -> [String] {
        try ["person", "company", "club", "card", "club_members", "coredata_metadata"].flatMap {
            try texts(store, "SELECT t::text FROM SCHEMA.\($0) t ORDER BY 1")
        }
    }

    /// Expects a migration to be refused, and the store to be as it was.
    private func refuse(
        _ store: MigrationStore, _ model: NSManagedObjectModel, _ code: Int, _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (schema, rows) = (try store.schema(), try rows(store))
        let error = try #require(failure { try store.migrate(to: model) }, sourceLocation: sourceLocation)
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(error.localizedRecoverySuggestion?.isEmpty == false, sourceLocation: sourceLocation)
        let text = "\(error.localizedDescription) \(error.localizedFailureReason ?? "")"
        for word in words { #expect(text.contains(word), "\(text)", sourceLocation: sourceLocation) }
        let whole = "\(error) \(error.userInfo)"
        #expect(!whole.contains(":\(self.schema(store))@"), sourceLocation: sourceLocation)
        #expect(try store.schema() == schema, sourceLocation: sourceLocation)
        #expect(try self.rows(store) == rows, sourceLocation: sourceLocation)
    }

    private var noted: NSManagedObjectModel {
        Versions.changed { entities, _ in
            entities["Person"]?.properties += [
                LibraryModel.attribute("note", .stringAttributeType, optional: false, default: "it's \\ new")
            ]
        }
    }

    // MARK: What is altered

    @Test func `New attributes and new names rewrite no table`() throws {
        let store = try filled()
        let files =
            "SELECT relname || ' ' || relfilenode FROM pg_class WHERE relnamespace = 'SCHEMA'::regnamespace "
            + "AND relname IN ('person', 'human', 'person_pkey', 'human_pkey') ORDER BY 1"
        let before = try texts(store, files)
        let model = Versions.changed { entities, _ in
            entities["Person"]?.name = "Human"
            entities["Person"]?.renamingIdentifier = "Person"
            entities["Person"]?.properties += [
                LibraryModel.attribute("rank", .integer32AttributeType, optional: false, default: -3)
            ]
            entities["Person"]?.attributesByName["name"]?.renamingIdentifier = "name"
            entities["Person"]?.attributesByName["name"]?.name = "called"
        }
        try store.migrate(to: model)
        #expect(try texts(store, files) == before.map { $0.replacingOccurrences(of: "person", with: "human") }.sorted())
        #expect(
            try texts(store, "SELECT entity || ' ' || called || ' ' || rank FROM SCHEMA.human ORDER BY 1")
                == ["Employee Bob -3", "Employee Cem -3", "Human Ann -3"])
        #expect(try store.schema() == MigrationStore.schema(ofNewStore: model, type: store.type))
    }

    @Test func `Keys and versions of rows stay, and new keys continue after them`() throws {
        let store = try filled()
        try execute(store, "UPDATE company SET version = 7")
        let before = try texts(store, "SELECT id || ' ' || version FROM SCHEMA.company")
        let model = Versions.changed { entities, _ in
            entities["Company"]?.attributesByName["title"]?.renamingIdentifier = "title"
            entities["Company"]?.attributesByName["title"]?.name = "label"
            entities["Company"]?.name = "Firm"
            entities["Company"]?.renamingIdentifier = "Company"
        }
        try store.migrate(to: model)
        #expect(try texts(store, "SELECT id || ' ' || version FROM SCHEMA.firm") == before)
        try store.open(model) { $0.insert("Firm", ["label": "new"]) }
        #expect(try texts(store, "SELECT count(DISTINCT id) FROM SCHEMA.firm") == ["2"])
        #expect(try texts(store, "SELECT label FROM SCHEMA.firm ORDER BY id DESC LIMIT 1") == ["new"])
    }

    @Test func `Names may be exchanged, of entities, attributes and relationships`() throws {
        let old = makeModel([
            ("A", "x: string?; y: string?; one -> B.back 0..1?; two -> B 0..0?"),
            ("B", "x: string?; back -> A.one 0..0?"),
        ])
        let new = makeModel([
            ("A", "x: string?; back -> B.one 0..0?"),
            ("B", "x: string?; y: string?; one -> A.back 0..1?; two -> A 0..0?"),
        ])
        new.entitiesByName["A"]?.renamingIdentifier = "B"
        new.entitiesByName["B"]?.renamingIdentifier = "A"
        new.entitiesByName["B"]?.attributesByName["x"]?.renamingIdentifier = "y"
        new.entitiesByName["B"]?.attributesByName["y"]?.renamingIdentifier = "x"
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(old) { context in
            let b = context.insert("B", ["x": "b"])
            context.insert("A", ["x": "1", "y": "2", "one": b, "two": Set([b])])
        }
        try store.migrate(to: new)
        try store.open(new) { context in
            let b = try #require(try context.fetchAll("B").first)
            check(b.value(forKey: "x") as? String, "2")
            check(b.value(forKey: "y") as? String, "1")
            check((b.value(forKey: "one") as? NSManagedObject)?.value(forKey: "x") as? String, "b")
            check((b.value(forKey: "two") as? Set<NSManagedObject>)?.count, 1)
        }
        #expect(try store.schema() == MigrationStore.schema(ofNewStore: new, type: store.type))
    }

    /// A model with every kind of constraint and index.
    private func indexed(_ entity: String, _ title: String, _ number: NSAttributeType) -> NSManagedObjectModel {
        let book = LibraryModel.entity(entity), novel = LibraryModel.entity("Novel"),
            shelf = LibraryModel.entity("Shelf")
        book.renamingIdentifier = "Book"
        let name = LibraryModel.attribute(title, .stringAttributeType)
        name.renamingIdentifier = "title"
        let size = NSCompositeAttributeDescription()
        size.name = "size"
        size.isOptional = true
        size.elements = [
            LibraryModel.attribute("width", .integer32AttributeType),
            LibraryModel.attribute("unit", .stringAttributeType),
        ]
        book.properties = [
            name, LibraryModel.attribute("number", number), LibraryModel.attribute("flag", .booleanAttributeType), size,
        ]
        book.subentities = [novel]
        shelf.properties = [
            LibraryModel.attribute("label", .stringAttributeType), Versions.derived("books", "holds.@count"),
        ]
        LibraryModel.relate(shelf, "holds", many: true, book, "place", many: false, ordered: true)
        LibraryModel.relate(shelf, "lists", many: true, novel, "lists", many: true)
        book.uniquenessConstraints = [[title, "number"], ["size"], ["place", "number"]]
        func index(_ name: String, _ properties: [(String, Bool)], _ condition: String? = nil)
            -> NSFetchIndexDescription
        {
            let elements = properties.compactMap { property, isAscending -> NSFetchIndexElementDescription? in
                guard let found = book.propertiesByName[property] else { return nil }
                let element = NSFetchIndexElementDescription(property: found, collationType: .binary)
                element.isAscending = isAscending
                return element
            }
            let index = NSFetchIndexDescription(name: name, elements: elements)
            if let condition { index.partialIndexPredicate = NSPredicate(format: condition) }
            return index
        }
        book.indexes = [
            index("byTitle", [(title, true), ("number", false)]), index("flagged", [(title, true)], "flag == YES"),
            index("numbered", [("flag", true)], "number > 3"),
        ]
        let model = NSManagedObjectModel()
        model.entities = [book, novel, shelf]
        return model
    }

    @Test func `Constraints and indexes follow their columns, and are not built again without need`() throws {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(indexed("Book", "title", .integer64AttributeType)) { context in
            let shelf = context.insert("Shelf", ["label": "a"])
            for number in 1...3 {
                context.insert("Book", ["title": "t", "number": number, "place": shelf, "size": ["width": number]])
            }
            context.insert("Novel", ["title": "n", "number": 9, "lists": Set([shelf])])
        }
        func files() throws -> Set<String> {
            Set(
                try texts(
                    store,
                    "SELECT relfilenode::text || ' ' || relname FROM pg_class WHERE relnamespace = 'SCHEMA'::regnamespace "
                        + "AND relkind IN ('r', 'i') AND relname !~ '^novel_lists'"
                ))
        }
        let before = try files()
        let renamed = indexed("Text", "heading", .integer64AttributeType)
        try store.migrate(to: renamed)
        #expect(
            try store.schema().symmetricDifference(MigrationStore.schema(ofNewStore: renamed, type: store.type)) == [])
        // The join table is another: Shelf, which comes before Text, is the first column of its key now. Indexes with renamed columns
        // in their condition are built again; nothing else is.
        let numbers = Set(before.compactMap { $0.split(separator: " ").first })
        let built = try files().filter { line in line.split(separator: " ").first.map { !numbers.contains($0) } ?? true
        }
        #expect(built.count <= 2, "\(built)")
        for number in [NSAttributeType.integer16AttributeType, .doubleAttributeType, .integer32AttributeType] {
            let model = indexed("Text", "title", number)
            model.entitiesByName["Text"]?.renamingIdentifier = "Text"
            model.entitiesByName["Text"]?.attributesByName["title"]?.renamingIdentifier = "heading"
            try store.open(model, options: MigrationStore.automatically) { context in
                try check(context.texts("Text", "number").count, 4)
                try check(context.texts("Shelf", "books"), ["3"])
                let shelf = try #require(try context.fetchAll("Shelf").first)
                let held = (shelf.value(forKey: "holds") as? NSOrderedSet)?.count
                check(held, 3)
                // Constraints hold.
                context.insert("Text", ["title": "t", "number": 2])
                #expect(throws: (any Error).self) { try context.save() }
                context.rollback()
            }
            let difference = try store.schema().symmetricDifference(
                MigrationStore.schema(ofNewStore: model, type: store.type))
            #expect(difference == [])
            try store.migrate(to: renamedAgain(model))
        }
    }

    /// The same with the title under its other name.
    private func renamedAgain(_ model: NSManagedObjectModel) -> NSManagedObjectModel {
        let type = model.entitiesByName["Text"]?.attributesByName["number"]?.attributeType ?? .undefinedAttributeType
        let result = indexed("Text", "heading", type)
        result.entitiesByName["Text"]?.renamingIdentifier = "Text"
        // Another version than the one that the store was migrated from.
        result.entitiesByName["Shelf"]?.versionHashModifier = UUID().uuidString
        return result
    }

    @Test func `The model, its hashes and the names of tables are in the metadata`() throws {
        let store = try filled()
        let model = Versions.changed { entities, _ in
            entities["Club"]?.name = "Circle"
            entities["Club"]?.renamingIdentifier = "Club"
        }
        let identifier = try texts(store, "SELECT store_uuid FROM SCHEMA.coredata_metadata")
        try NSPersistentStoreCoordinator.setMetadata(
            ["owner": "me"], forPersistentStoreOfType: store.type, at: store.url)
        try store.migrate(to: model)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: store.type, at: store.url)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(metadata["owner"] as? String == "me")
        #expect(try texts(store, "SELECT store_uuid FROM SCHEMA.coredata_metadata") == identifier)
        let names = "SELECT x FROM SCHEMA.coredata_metadata, unnest(tables || sequences) x ORDER BY 1"
        let fresh = try MigrationStore(type: store.type)
        try fresh.open(model) { _ in }
        #expect(try texts(store, names) == texts(fresh, names))
        // A program of the older version is told.
        #expect(failure { try store.migrate(to: first) }?.code == NSMigrationMissingSourceModelError)
        // The model in the store is that of the next migration.
        try store.migrate(
            to: Versions.changed(from: model) { entities, _ in
                entities["Circle"]?.properties += [LibraryModel.attribute("city", .stringAttributeType)]
            })
    }

    @Test func `Tables in other schemas move with postgresql.schema`() throws {
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        let other = try MigrationStore(type: StoreKind.postgreSQL.type)
        try TestServer.execute("GRANT ALL ON SCHEMA \(schema(other)) TO \(schema(store))")
        func model(_ isMoved: Bool) -> NSManagedObjectModel {
            let model = makeModel([("A", "x: string?; bs -> B.a 0..0?"), ("B", "a -> A.bs 0..1?")])
            model.entitiesByName["A"]?.versionHashModifier = "\(isMoved)"
            if isMoved { model.entitiesByName["A"]?.userInfo = ["postgresql.schema": schema(other)] }
            return model
        }
        try store.open(model(false)) { context in
            context.insert("B", ["a": context.insert("A", ["x": "1"])])
        }
        try store.migrate(to: model(true))
        #expect(try texts(other, "SELECT x FROM SCHEMA.a") == ["1"])
        #expect(
            try texts(
                store,
                "SELECT relname FROM pg_class WHERE relnamespace = 'SCHEMA'::regnamespace AND relname ~ '^a(_|$)'")
                == [])
        try store.open(model(true)) { context in
            context.insert("A", ["x": "2"])
            let b = try #require(try context.fetchAll("B").first)
            check(b.value(forKeyPath: "a.x") as? String, "1")
        }
        try TestServer.execute("DROP TABLE \(schema(other)).a CASCADE")
    }

    @Test func `Default values of every type are those of new objects`() throws {
        let dates = [-63_200_000_000.25, -1e10 - 0.000001, 0.5, 1234.567891, 252_000_000_000].map {
            Date(timeIntervalSinceReferenceDate: $0)
        }
        let values: [(NSAttributeType, Any)] =
            [
                (.integer16AttributeType, -32768), (.integer32AttributeType, -1),
                (.integer64AttributeType, Int64.min), (.booleanAttributeType, true),
                (.doubleAttributeType, 0.1 + 0.2), (.doubleAttributeType, -Double.infinity),
                (.floatAttributeType, Float(0.1)), (.stringAttributeType, "é'\\\"\n%"), (.stringAttributeType, ""),
                (.decimalAttributeType, NSDecimalNumber(string: "-12345678901234567890.123456789")),
                (.binaryDataAttributeType, Data([0, 255, 92, 39])), (.UUIDAttributeType, UUID()),
                (.URIAttributeType, URL(string: "https://a.example/?q='1'")!),
            ] + dates.map { (.dateAttributeType, $0) }
        let old = makeModel([("A", "x: string?"), ("B : A", "")])
        let new = makeModel([("A", "x: string?"), ("B : A", "")])
        for (entity, isAll) in [("A", true), ("B", false)] {
            for (index, (type, value)) in values.enumerated() {
                new.entitiesByName[entity]?.properties.append(
                    LibraryModel.attribute("\(entity.lowercased())\(index)", type, optional: isAll, default: value))
            }
        }
        let store = try MigrationStore(type: StoreKind.postgreSQL.type)
        try store.open(old) { context in
            context.insert("A", ["x": "old"])
            context.insert("B", ["x": "old"])
        }
        try store.migrate(to: new)
        try store.open(new) { context in
            context.insert("A", ["x": "new"])
            context.insert("B", ["x": "new"])
        }
        for (entity, prefixes) in [("A", ["a"]), ("B", ["a", "b"])] {
            try store.open(new) { context in
                let found = try context.fetchAll(entity).filter { $0.entity.name == entity }
                check(found.count, 2)
                for name in prefixes.flatMap({ prefix in values.indices.map { "\(prefix)\($0)" } }) {
                    let (one, other) = (
                        found[0].value(forKey: name) as? NSObject, found[1].value(forKey: name) as? NSObject
                    )
                    #expect(
                        one != nil && one == other, "\(name): \(String(describing: one)), \(String(describing: other))")
                }
            }
        }
    }

    // MARK: What is refused

    @Test func `A user that does not own the tables is refused`() throws {
        let store = try filled()
        let other = try TestServer.makeSchema()
        defer { TestServer.removeSchema(other) }
        let role = other.user ?? ""
        try TestServer.execute(
            "ALTER ROLE \(role) SET search_path = \(schema(store))",
            "GRANT USAGE ON SCHEMA \(schema(store)) TO \(role)",
            "GRANT ALL ON ALL TABLES IN SCHEMA \(schema(store)) TO \(role)")
        let (schema, rows) = (try store.schema(), try rows(store))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: noted)
        let error = failure {
            try coordinator.addPersistentStore(
                ofType: store.type, configurationName: nil, at: other, options: MigrationStore.automatically)
        }
        #expect(error?.code == NSMigrationError, "\(error as Any)")
        #expect(error?.userInfo["SQLSTATE"] as? String == "42501")
        #expect(error?.localizedRecoverySuggestion?.contains("owns the tables") == true)
        #expect(try store.schema() == schema)
        #expect(try self.rows(store) == rows)
    }

    @Test func `A view on a column that is dropped is named`() throws {
        let store = try filled()
        try execute(store, "CREATE VIEW ages AS SELECT age FROM person")
        let model = Versions.changed { entities, _ in
            if let person = entities["Person"] { person.properties = person.properties.filter { $0.name != "age" } }
        }
        try refuse(store, model, NSMigrationError, "view ages", "made by hand")
        // Other columns may change.
        try store.migrate(to: noted)
        #expect(try texts(store, "SELECT count(*) FROM SCHEMA.ages") == ["3"])
    }

    @Test func `A table or column that was altered by hand is named`() throws {
        let store = try filled()
        try execute(store, "ALTER TABLE person RENAME COLUMN age TO years")
        try refuse(store, noted, NSPersistentStoreIncompatibleSchemaError, "no column age", "Person.age")
        try execute(store, "ALTER TABLE person RENAME COLUMN years TO age", "CREATE TABLE note (x integer)")
        try refuse(
            store,
            Versions.changed { _, model in
                model.entities += [makeModel([("Note", "x: string?")]).entities[0].copy() as! NSEntityDescription]
            },
            NSMigrationError, "note", "taken")
    }

    @Test func `What was added by hand stays`() throws {
        let store = try filled()
        try execute(
            store, "CREATE INDEX mine ON person (lower(name))", "ALTER TABLE person ADD COLUMN extra text DEFAULT 'x'",
            "ALTER TABLE person ADD CONSTRAINT young CHECK (age < 200)")
        try store.migrate(to: noted)
        #expect(try texts(store, "SELECT extra || note FROM SCHEMA.person LIMIT 1") == ["xit's \\ new"])
        let lines = try store.schema().joined(separator: "\n")
        for word in ["INDEX mine", "person.young"] { #expect(lines.contains(word)) }
    }

    @Test func `Default values that PostgreSQL does not have are refused with entity and attribute`() throws {
        let store = try filled()
        let model = Versions.changed { entities, _ in
            entities["Club"]?.properties += [LibraryModel.attribute("code", .stringAttributeType, default: "a\u{0}b")]
        }
        let error = failure { try store.migrate(to: model) }
        #expect(error?.localizedDescription.contains("Club.code") == true || "\(error as Any)".contains("Club.code"))
        #expect(error?.userInfo["entity"] as? String == "Club")
    }

    // MARK: Others

    @Test func `A table that others hold is waited for, and its migration given up`() throws {
        let store = try filled()
        let settings = try ConnectionSettings(store.url)
        let connection = try PostgreSQLConnection(settings)
        try connection.run([.plain("BEGIN"), .plain("SELECT FROM person")])
        let (schema, rows) = (try store.schema(), try rows(store))
        let model = noted
        nonisolated(unsafe) let waiting = store
        let failure = Mutex<NSError?>(nil)
        let end = DispatchSemaphore(value: 0)
        // Other tests keep the threads of tasks.
        let migration = Thread {
            do { try waiting.migrate(to: model) } catch { failure.withLock { $0 = error as NSError } }
            end.signal()
        }
        migration.start()
        Thread.sleep(forTimeInterval: 4)
        #expect(try store.schema() == schema)
        #expect(try self.rows(store) == rows)
        // The second attempt succeeds.
        try connection.run([.plain("COMMIT")])
        end.wait()
        #expect(failure.withLock { $0 } == nil)
        #expect(try texts(store, "SELECT count(*) FROM SCHEMA.person WHERE note IS NOT NULL") == ["3"])
    }

    @Test func `Of several that migrate at once one does, and the others wait`() async throws {
        let store = try filled()
        let model = noted
        let (url, type) = (store.url, store.type)
        let errors = await withTaskGroup(of: NSError?.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    do {
                        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                        let added = try coordinator.addPersistentStore(
                            ofType: type, configurationName: nil, at: url, options: MigrationStore.automatically)
                        try coordinator.remove(added)
                        return nil
                    } catch { return error as NSError }
                }
            }
            var found: [NSError] = []
            for await error in group { if let error { found.append(error) } }
            return found
        }
        #expect(errors == [])
        try store.open(model) { try check($0.fetchAll("Person").count, 3) }
    }

    @Test func `A cancelled migration leaves the store`() throws {
        let store = try filled()
        try execute(store, "INSERT INTO club (title) SELECT 'club ' || n FROM generate_series(1, 300000) n")
        let model = Versions.changed { entities, _ in
            let folded = Versions.derived("folded", "canonical:(title)")
            folded.attributeType = .stringAttributeType
            entities["Club"]?.properties += [folded]
        }
        let (schema, count) = (try store.schema(), try texts(store, "SELECT count(*) FROM SCHEMA.club"))
        let comparison = ModelComparison(source: first, destination: model)
        let manager = NSMigrationManager(sourceModel: first, destinationModel: model)
        let found = try #require(try PostgreSQLDriver.find(.init(store.url)))
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) {
            manager.cancelMigrationWithError(CocoaError(.userCancelled))
        }
        let begin = Date()
        let error = failure {
            try PostgreSQLDriver.migrate(found, comparison.engineRequest(leadsBack: false), manager)
        }
        #expect(error?.code == CocoaError.userCancelled.rawValue, "\(error as Any)")
        #expect(Date().timeIntervalSince(begin) < 3)
        #expect(try store.schema() == schema)
        #expect(try texts(store, "SELECT count(*) FROM SCHEMA.club") == count)
    }

    // MARK: Stages

    @Test func `Lightweight stages are one transaction`() throws {
        let store = try filled()
        let second = noted
        let third = Versions.changed(from: second) { entities, _ in
            entities["Club"]?.uniquenessConstraints = [["title"]]
            entities["Person"]?.attributesByName["note"]?.renamingIdentifier = "note"
            entities["Person"]?.attributesByName["note"]?.name = "remark"
        }
        func stages() -> [AnyHashable: Any] {
            var options = MigrationStore.automatically
            // Inference from the first to the third version would lose what the second has.
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([
                NSLightweightMigrationStage([first, second, third].map(\.versionChecksum))
            ])
            return options
        }
        // Models of stages are found while they are loaded.
        for model in [first, second, third] { _ = NSPersistentStoreCoordinator(managedObjectModel: model) }
        try store.open(first) { $0.insert("Club", ["title": "Chess"]) }
        let (schema, rows) = (try store.schema(), try rows(store))
        let error = failure { try store.open(third, options: stages()) { _ in } }
        #expect(error?.code == NSMigrationConstraintViolationError, "\(error as Any)")
        #expect(try store.schema() == schema)
        #expect(try self.rows(store) == rows)
        try execute(store, "DELETE FROM club WHERE id = (SELECT max(id) FROM club)")
        try store.open(third, options: stages()) { context in
            try check(context.texts("Person", "remark"), Array(repeating: "it's \\ new", count: 3))
        }
        #expect(try store.schema() == MigrationStore.schema(ofNewStore: third, type: store.type))
        withExtendedLifetime((first, second, third)) {}
    }

    @Test func `Containers migrate by default`() throws {
        let store = try filled()
        try load(store, noted)
        #expect(try texts(store, "SELECT count(*) FROM SCHEMA.person WHERE note IS NOT NULL") == ["3"])
    }
}
#endif
