import CoreData
import CoreDataTestSupport
import Foundation
import StoreToolCommands
import Testing

@Suite struct InfoCommandTests {
    private func json(_ words: String...) throws -> [String: Any] {
        let output = TextSink()
        let status = StoreTool.run(words + ["--json"], Console(output: output, errors: TextSink()))
        try #require(status == 0)
        return try #require(try JSONSerialization.jsonObject(with: Data(output.bytes)) as? [String: Any])
    }

    @Test func entitiesHaveTheirNumbersOfRows() throws {
        let store = try CommandStore(authors: 7)
        let info = try json("info", store.path)
        let entities = try #require(info["entities"] as? [[String: Any]])
        let rows = Dictionary(
            uniqueKeysWithValues: entities.map { ($0["entity"] as? String ?? "", $0["rows"] as? Int ?? -1) })
        #expect(rows == ["Author": 7, "Award": 0, "Book": 14, "Shelf": 0, "Tag": 0])
        #expect(info["hasModel"] as? Bool == true)
        #expect((info["unusual"] as? [String])?.isEmpty == true)
        #expect(info["condition"] as? String == "readable")
    }

    @Test func sizesAreThoseOfSQLitesStatistics() throws {
        let store = try CommandStore(authors: 2_000)
        let info = try json("info", store.path)
        let database = try SQLiteLibrary.bytesByTree(store.path)
        for entity in try #require(info["entities"] as? [[String: Any]]) {
            let table = try #require(entity["table"] as? String)
            #expect(entity["tableBytes"] as? Int == database[table], "\(table)")
        }
        for index in try #require(info["indexes"] as? [[String: Any]]) {
            let name = try #require(index["name"] as? String)
            #expect(index["bytes"] as? Int == database[name], "\(name)")
        }
    }

    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment))
    func storesOfApplesFrameworkHaveNothingUnusual() throws {
        for sample in RealStores.all {
            let copy = try RealStores.copy(of: sample)
            defer { copy.remove() }
            let result = CommandRunner.run("info", copy.url.path)
            #expect(result.status == 0)
            #expect(result.output.contains("\nunusual\n") == sample.isOld, "\(sample.store): \(result.output)")
        }
    }
}

extension SQLiteLibrary {
    /// The bytes of each table and index, by SQLite's own statistics.
    fileprivate static func bytesByTree(_ path: String) throws -> [String: Int] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", path, "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").reduce(into: [:]) { sizes, line in
            let parts = line.split(separator: "|")
            sizes[String(parts[0])] = Int(parts[1])
        }
    }
}
