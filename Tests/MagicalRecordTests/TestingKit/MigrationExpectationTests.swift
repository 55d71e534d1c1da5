import MagicalRecord
import MagicalRecordTesting
import Testing

/// Folders of old stores: what passes, and what is compared.
struct MigrationExpectationTests {
    private var people: MagicalRecord.Migration { .through(PeopleVersions.versions) }
    private var current: MagicalRecord.ModelSource { .model(PeopleVersions.versions.models[1]) }

    @Test func everyStoreIsMigratedAndCompared() throws {
        let stores = try OldStores()
        for release in ["10.0", "9.0"] {
            try stores.add("\(release)/People.sqlite", PeopleVersions.first(), PeopleVersions.fillFirst)
        }
        try stores.add("People.sqlite", PeopleVersions.second()) { context in
            NSEntityDescription.insertNewObject(forEntityName: "User", into: context).setValue("Eve", forKey: "country")
        }
        try stores.addFile(".gitignore", "")
        let outcomes = MagicalRecordTesting.expectMigration(of: stores.folder, to: current, migration: people)
        #expect(outcomes.failures == [])
        #expect(outcomes.stores.map(\.store) == ["9.0/People.sqlite", "10.0/People.sqlite", "People.sqlite"])
        #expect(outcomes.stores.map(\.version) == ["1", "1", "2"])
        let old = try #require(outcomes.stores.first)
        #expect(old.seconds > 0)
        #expect(old.entities.map(\.name) == ["Message", "User", "Draft"])
        #expect(old.entities.map(\.formerName) == [nil, "Person", nil])
        #expect(old.entities.map(\.before) == [3, 2, 1])
        #expect(old.entities.map(\.after) == [3, 2, 0])
        // Three texts; two names and a picture.
        #expect(old.entities.map(\.values) == [3, 3, 0])
        // The ordered relationship stands for its inverse.
        #expect(old.entities.map(\.links) == [0, 3, 0])
        #expect(old.losses == ["1 values of Person.fax", "1 objects of Draft"])
        #expect(outcomes.stores[2].losses == [])
    }

    /// A program's test bundle may be read-only, and the stores in it must be the same in the next run.
    @Test func foldersAreOnlyRead() throws {
        let stores = try OldStores()
        try stores.add("People.sqlite", PeopleVersions.first(), PeopleVersions.fillFirst)
        let files = try stores.files()
        // The picture is in a file.
        #expect(files.keys.contains { $0.hasPrefix(".People_SUPPORT/") })
        try stores.forbidWriting()
        defer { try? stores.forbidWriting(false) }
        for _ in 0..<2 {
            let outcomes = expectMigration(of: stores.folder, to: current, migration: people)
            #expect(outcomes.stores.map { $0.entities.map(\.before) } == [[3, 2, 1]])
        }
        #expect(try stores.files() == files)
    }

    /// A store copied while the program ran: its rows are in the log alone.
    @Test func logsBelongToTheirStores() throws {
        let stores = try OldStores()
        try stores.write(
            stores.place("People.sqlite"), PeopleVersions.first(),
            whileOpen: { url in
                for ending in ["", "-wal", "-shm"] {
                    try FileManager.default.copyItem(
                        atPath: url.path + ending, toPath: stores.folder.path + "/People.sqlite" + ending)
                }
            }, { context in try PeopleVersions.fillFirst(context) })
        let support = ".People_SUPPORT"
        try FileManager.default.copyItem(
            at: stores.place(support), to: stores.folder.appendingPathComponent(support, isDirectory: true))
        let outcomes = expectMigration(of: stores.folder, to: current, migration: people)
        #expect(outcomes.stores.map(\.store) == ["People.sqlite"])
        #expect(outcomes.stores.map { $0.entities.map(\.before) } == [[3, 2, 1]])
    }

    @Test func binaryStoresAreRecognized() throws {
        let stores = try OldStores()
        try stores.add("People.data", PeopleVersions.first(), type: NSBinaryStoreType, PeopleVersions.fillFirst)
        let outcomes = expectMigration(of: stores.folder, to: current, migration: people)
        #expect(outcomes.stores.map { $0.entities.map(\.after) } == [[3, 2, 0]])
    }

    @Test func outcomesPrintAsATable() throws {
        let stores = try OldStores()
        try stores.add("1.0/People.sqlite", PeopleVersions.first(), PeopleVersions.fillFirst)
        let outcomes = expectMigration(of: stores.folder, to: current, migration: people)
        let seconds = String(format: "%.3f", outcomes.stores.first?.seconds ?? 0)
        let lines = "\(outcomes)".replacingOccurrences(of: seconds, with: "0.000").components(separatedBy: "\n")
        #expect(
            lines == [
                "store              version  seconds  entity         before  after  values  links",
                "1.0/People.sqlite  1          0.000  Message             3      3       3      0",
                "                                     User (Person)       2      2       3      3",
                "                                     Draft               1      0       0      0",
                "    by design: 1 values of Person.fax",
                "    by design: 1 objects of Draft",
            ])
    }

    #if !canImport(Darwin)
    /// Versions in a file, and a number that became wider, which Apple's framework does not infer.
    @Test func versionsAreFoundInTheModelsFile() throws {
        let stores = try OldStores()
        func notes(_ type: NSAttributeType) -> NSManagedObjectModel {
            let note = Build.entity("Note")
            note.properties = [Build.attribute("stars", type)]
            return Build.model(note)
        }
        let file = stores.place("Notes.momd")
        try notes(.integer64AttributeType).write(to: file, versionName: "Notes 2")
        try notes(.integer16AttributeType).write(to: file.appendingPathComponent("Notes.mom"))
        try stores.add(
            "Notes.sqlite", notes(.integer16AttributeType), OldStores.fillNotes([["stars": 4], ["stars": 5]]))
        let outcomes = expectMigration(of: stores.folder, to: .contents(of: file))
        #expect(outcomes.stores.map(\.version) == ["1"])
        #expect(outcomes.stores.map { $0.entities.map(\.values) } == [[2]])
    }
    #endif
}
