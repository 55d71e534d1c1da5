import Foundation
import Testing

/// Assumptions about how Swift or Foundation lay out memory stand in CoreDataRuntimeSupport, where each is checked at run time.
@Suite("Assumptions about memory")
struct MemoryAssumptionTests {
    /// What looks at values as something else than the compiler knows them as.
    private static let signs = [
        "unsafeBitCast(", "dlsym(", "@_optimize(", "swift_tryRetain(", "swift_retain_n(", "import CCoreDataRuntime",
    ]

    /// Lines that assume nothing, each with what makes it so.
    private static let known: [String: String] = [
        "CoreDataSQLiteStorage/Connection/SQLiteStatement.swift unsafeBitCast(":
            "SQLITE_TRANSIENT, as SQLite defines it",
        "MagicalRecordTesting/StoreRows.swift unsafeBitCast(": "the same",
        "StoreTools/Database/Statement.swift unsafeBitCast(": "the same",
        "CoreData/Foundation/GetVaList.swift unsafeBitCast(": "va_list, as the platform's C ABI defines it",
        "CoreData/Context/NSManagedObjectContext+Fetching.swift unsafeBitCast(": "arrays of objects, by their class",
        "CoreData/Results/NSFetchedResultsController.swift unsafeBitCast(": "arrays of objects, by their class",
        "CoreDataRowStorage/Rows/SlabMemory.swift dlsym(": "asks for the Thread Sanitizer by its name",
        "CoreDataRowStorage/Rows/RowSlab.swift import CCoreDataRuntime": "reads memory of its own ahead",
        "CoreDataStoreFiles/FileIdentity.swift import CCoreDataRuntime": "asks the system which file it is",
        "CoreData/Context/FetchSink.swift import CCoreDataRuntime": "counts several references at once",
        "CoreData/Object/UniquingTable.swift import CCoreDataRuntime": "counts a reference unless the last is gone",
        "CoreData/Object/UniquingTable.swift swift_tryRetain(": "counts a reference unless the last is gone",
    ]

    @Test("stand in one module")
    func inOneModule() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources").standardizedFileURL
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { path in
            // Apple's runtime has documented functions for what the folder ObjectiveC does.
            path.hasSuffix(".swift") && !path.hasPrefix("CoreDataRuntimeSupport/") && !path.contains("/ObjectiveC/")
        }
        var found: Set<String> = []
        for path in paths {
            let bytes = try Data(contentsOf: root.appendingPathComponent(path))
            // Most files have none, in which Foundation is much faster to look.
            let signs = Self.signs.filter { bytes.range(of: Data($0.utf8)) != nil }
            guard !signs.isEmpty else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            for sign in signs where code.contains(where: { $0.contains(sign) && !$0.contains("\(sign)Support") }) {
                found.insert("\(path) \(sign)")
            }
        }
        #expect(found.subtracting(Self.known.keys).sorted() == [], "move them there, with a check and a plain way")
        #expect(Set(Self.known.keys).subtracting(found).sorted() == [], "are gone: delete these lines")
    }
}
