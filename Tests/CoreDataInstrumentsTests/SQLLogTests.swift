import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Lines as Apple's framework writes them with `-com.apple.CoreData.SQLDebug`, as far as they have been published.
///
/// The log is the process's, so each test is a process of its own.
@Suite("Log of SQL")
struct SQLLogTests {
    private static func lines(_ result: ExitTest.Result?) -> [String] {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Times are the only thing that differs from run to run.
    private static func withoutTimes(_ lines: [String]) -> [String] {
        lines.map { $0.replacingOccurrences(of: #"[0-9]+\.[0-9]{4}s"#, with: "0.0001s", options: .regularExpression) }
    }

    @Test func theVariableLogsStatementsAndTimes() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("COREDATA_SQL_DEBUG", "1", 1)
            let library = try Library(store: .sqlite)
            try library.context.performAndWait {
                for number in 0..<3 { library.context.insert("Tag", ["word": "word \(number)"]) }
                try library.context.save()
                library.context.reset()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.predicate = NSPredicate(format: "word == %@", "word 1")
                _ = try library.context.fetch(request)
                _ = try library.context.count(for: request)
            }
        }
        let lines = Self.withoutTimes(Self.lines(result))
        #expect(lines.contains("CoreData: sql: BEGIN IMMEDIATE"))
        #expect(
            lines.filter { $0 == "CoreData: sql: INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZWORD) VALUES (?, ?, ?, ?)" }
                .count
                == 3)
        let end = try #require(lines.firstIndex(of: "CoreData: annotation: sql execution time: 0.0001s"))
        let fetch = lines[(end + 1)...].filter { !$0.lowercased().contains("pragma") }
        #expect(
            Array(fetch) == [
                "CoreData: sql: SELECT t0.Z_PK, t0.ZWORD, t0.Z_OPT FROM ZTAG t0 WHERE (t0.ZWORD = ?1)",
                "CoreData: annotation: sql connection fetch time: 0.0001s",
                "CoreData: annotation: total fetch execution time: 0.0001s for 1 rows.",
                "CoreData: sql: SELECT COUNT(*) FROM ZTAG t0 WHERE (t0.ZWORD = ?1)",
                "CoreData: annotation: total count request execution time: 0.0001s for count of 1.",
            ])
    }

    @Test func levelTwoAddsTheValues() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let library = try Library(store: .sqlite)
            Instruments.log(.values)
            try library.context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "title == %@ AND pages > %d", "It's \"here\"", 18)
                _ = try library.context.fetch(request)
            }
            Instruments.log(.off)
            try library.context.performAndWait { _ = try library.context.fetchAll("Tag") }
        }
        let lines = Self.lines(result)
        #expect(lines.contains("CoreData: details: SQLite bind[0] = \"It's \"here\"\""))
        #expect(lines.contains("CoreData: details: SQLite bind[1] = 18"))
        #expect(lines.contains { $0.hasPrefix("CoreData: annotation: fetch on entity 'Book' with sql text 'SELECT ") })
        #expect(!lines.contains { $0.contains("ZTAG") })
    }

    @Test func aValueWithLineBreaksIsOneLine() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let library = try Library(store: .sqlite)
            Instruments.log(.values)
            try library.context.performAndWait {
                library.context.insert("Tag", ["word": "a\nCoreData: sql: DROP TABLE ZTAG\r\u{1B}[2J"])
                try library.context.save()
            }
        }
        let lines = Self.lines(result)
        let value = #""a\nCoreData: sql: DROP TABLE ZTAG\r\u{1B}[2J""#
        #expect(lines.contains { $0.hasPrefix("CoreData: details: SQLite bind[") && $0.hasSuffix("] = " + value) })
        #expect(!lines.contains { $0.hasPrefix("CoreData: sql: DROP") })
    }

    @Test func levelFourAddsThePlan() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("COREDATA_SQL_DEBUG", "4", 1)
            let library = try Library(store: .sqlite)
            try library.context.performAndWait { _ = try library.context.fetchAll("Book") }
        }
        let lines = Self.lines(result)
        #expect(lines.contains { $0.hasPrefix("CoreData: details: SQLite: EXPLAIN QUERY PLAN SELECT t0.Z_PK") })
        #expect(lines.contains("\tSCAN t0"))
    }

    @Test func faultsNameTheirObjects() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("COREDATA_SQL_DEBUG", "1", 1)
            let library = try Library(store: .sqlite)
            let context = library.context
            try context.performAndWait {
                let author = context.insert("Author", ["name": "Jane"])
                context.insert("Book", ["title": "Emma"]).setValue(author, forKey: "author")
                try context.save()
                context.refreshAllObjects()
                _ = author.value(forKey: "name")
                _ = (author.value(forKey: "books") as? NSSet)?.count
            }
        }
        let lines = Self.lines(result)
        #expect(
            lines.contains {
                $0.hasPrefix("CoreData: annotation: fault fulfilled from database for : ")
                    && $0.contains("x-coredata://") && $0.contains("/Author/p1")
            })
        #expect(
            lines.contains {
                $0.hasPrefix("CoreData: annotation: to-many relationship fault \"books\" for objectID ")
                    && $0.hasSuffix("fulfilled from database.  Got 1 rows")
            })
    }

    @Test func stderrCanBeTurnedOff() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("COREDATA_SQL_DEBUG", "1", 1)
            setenv("COREDATA_LOGGING_STDERR", "0", 1)
            let library = try Library(store: .sqlite)
            try library.context.performAndWait { _ = try library.context.fetchAll("Book") }
        }
        #expect(!Self.lines(result).contains { $0.contains("CoreData: ") })
    }

    // MARK: Switches

    private static func switches(_ arguments: [String], _ environment: [String: String] = [:]) -> LaunchSwitches {
        LaunchSwitches(arguments: ["program"] + arguments, environment: environment)
    }

    @Test(
        arguments: [
            ([], .off), (["-com.apple.CoreData.SQLDebug", "1"], .sql), (["-com.apple.CoreData.SQLDebug", "3"], .rows),
            (["-com.apple.CoreData.SQLDebug", "9"], .plans), (["-com.apple.CoreData.SQLDebug", "-2"], .off),
            (["-com.apple.CoreData.SQLDebug", "0"], .off), (["-com.apple.CoreData.SQLDebug"], .sql),
            (["-com.apple.CoreData.SQLDebug", "YES"], .sql), (["-com.apple.CoreData.SQLDebug", "no"], .off),
        ] as [([String], Instruments.LogLevel)])
    func argumentsSetTheLevel(_ arguments: [String], _ level: Instruments.LogLevel) {
        #expect(Self.switches(arguments).sqlDebug == level)
    }

    @Test func variablesStandInForArguments() {
        let switches = Self.switches([], ["COREDATA_SQL_DEBUG": "2", "COREDATA_MIGRATION_DEBUG": "1"])
        #expect(switches.sqlDebug == .values && switches.migrationDebug && switches.writesToStandardError)
        let both = Self.switches(["-com.apple.CoreData.SQLDebug", "1"], ["COREDATA_SQL_DEBUG": "2"])
        #expect(both.sqlDebug == .sql)
        #expect(!Self.switches(["-com.apple.CoreData.Logging.stderr", "0"]).writesToStandardError)
        #expect(Self.switches(["-com.apple.CoreData.MigrationDebug", "1"]).migrationDebug)
    }
}

@Suite("Lines of logs")
struct LogLineTests {
    @Test(
        arguments: [
            ("plain, \u{1F469}\u{200D}\u{1F467} é", "plain, \u{1F469}\u{200D}\u{1F467} é"),
            ("a\r\nb\tc\0", #"a\r\nb\tc\0"#),
            ("\u{7}\u{B}\u{C}\u{1B}\u{7F}", #"\u{7}\u{B}\u{C}\u{1B}\u{7F}"#),
            ("\u{85}\u{9B}\u{2028}\u{2029}", #"\u{85}\u{9B}\u{2028}\u{2029}"#), ("", ""),
        ])
    func escapeWhatControlsATerminalOrEndsALine(_ text: String, _ line: String) {
        #expect(LogLine.escaped(text) == line)
    }
}

@Suite("Values of statements")
struct BoundValueTests {
    @Test(
        arguments: [
            ("SELECT ?", "SELECT 1", ["1"]),
            ("A = ? AND B = ?2", "A = 'it''s' AND B = 2.5", ["\"it's\"", "2.5"]),
            ("A = ?1 OR B = ?1", "A = NULL OR B = NULL", ["nil"]),
            ("X IN (?,?)", "X IN (-1,x'00ff')", ["-1", "<2 bytes>"]),
            ("A = '?' AND B = ?", "A = '?' AND B = 'x, (y)'", ["\"x, (y)\""]),
            ("\"a?\" = ?", "\"a?\" = ''", ["\"\""]), ("V(?)", "V(zeroblob(5))", ["zeroblob(5)"]),
            ("LIMIT ?2 OFFSET ?1", "LIMIT 5 OFFSET 0", ["0", "5"]),
        ] as [(String, String, [String])])
    func areReadFromTheExpandedText(_ sql: String, _ expanded: String, _ values: [String]) {
        #expect(BoundValues.values(values.count, in: Array(sql.utf8), Array(expanded.utf8)) == values)
    }
}

@Suite("Log of migrations")
struct MigrationLogTests {
    @Test func stepsAreLogged() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("COREDATA_MIGRATION_DEBUG", "1", 1)
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Log-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let url = folder.appendingPathComponent("Library.sqlite")
            for keys in [["word"], ["word", "note"]] {
                let model = NSManagedObjectModel()
                let tag = LibraryModel.entity("Tag")
                tag.properties = keys.map { LibraryModel.attribute($0, .stringAttributeType) }
                model.entities = [tag]
                let library = try Library(
                    model, type: NSSQLiteStoreType, at: url,
                    options: [
                        NSMigratePersistentStoresAutomaticallyOption: true,
                        NSInferMappingModelAutomaticallyOption: true,
                    ])
                for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for line in [
            "will attempt automatic schema migration", "looking for mapping model with",
            "no suitable mapping model found", "inferring a mapping model between data models with hashes: {Tag = ",
            "in-place migration completed successfully in 0.",
            "Automatic schema migration succeeded for store at file:///",
        ] {
            #expect(text.contains("CoreData: annotation: (migration)\t \(line)"))
        }
    }

    @Test func migrationsAreEvents() throws {
        let library = try Library(store: .sqlite)
        let url = try #require(library.coordinator.persistentStores.first?.url)
        for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
        let recording = try Instruments.record {
            let migrated = try Library(
                model, type: NSSQLiteStoreType, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
            for store in migrated.coordinator.persistentStores { try migrated.coordinator.remove(store) }
        }
        let opening = try #require(recording.events(of: .storeOpening).first)
        let migrations = recording.events(of: .migration)
        #expect(opening.store == url.path && migrations.count == 2)
        #expect(migrations.first?.parentID == opening.id && migrations.last?.parentID == migrations.first?.id)
        #expect(migrations.last?.keyPath == "in-place migration" && (migrations.last?.statementCount ?? 0) > 5)
        #expect(recording.events(of: .storeClosing).map(\.store) == [url.path])
    }
}
