#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct QueryFileTests {
    private func questions(_ url: URL) throws -> Int {
        let store = try OpenStore(url)
        var query = store.query(entity: "Book")
        query.columns = ["title", "author.name", "tags.word", "scan"]
        query.sortKeys = [.init("title")]
        query.predicate = "pages > 0"
        let rows = try query.rows()
        _ = try store.related("author", of: rows[rows.count - 1].uri)
        return rows.count
    }

    @Test func noByteIsChanged() throws {
        let sample = try QuerySample()
        let before = try QuerySample.state(of: sample.folder.url)
        let count = try questions(sample.url)
        #expect(count == 7)
        let after = try QuerySample.state(of: sample.folder.url)
        #expect(after == before)
    }

    @Test func aFolderThatCannotBeWrittenIsRead() throws {
        let sample = try QuerySample()
        for path in [sample.url.path, sample.folder.url.path] {
            try FileManager.default.setAttributes(
                [.posixPermissions: path == sample.url.path ? 0o444 : 0o555], ofItemAtPath: path)
        }
        defer {
            try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sample.folder.url.path)
        }
        let count = try withoutPrivileges { try questions(sample.url) }
        #expect(count == 7)
    }

    @Test func whatIsOnlyInTheLogIsRead() throws {
        let sample = try QuerySample()
        let folder = try TemporaryFolder()
        let copy = folder.file("Copy.sqlite")
        try QuerySample.open(sample.url) { context in
            _ = context.insert("Tag", ["word": "new"])
            try context.save()
            // In another process, because closing the files in this one would release SQLite's locks.
            for suffix in ["", "-wal"] {
                let copying = Process()
                copying.executableURL = URL(fileURLWithPath: "/bin/cp")
                copying.arguments = [sample.url.path + suffix, copy.path + suffix]
                try copying.run()
                copying.waitUntilExit()
                #expect(copying.terminationStatus == 0)
            }
        }
        let before = try QuerySample.state(of: folder.url)
        let words = try StoreQuery(copy, entity: "Tag").rows().map { $0.values[0] }
        #expect(words.contains(.string("new")))
        #expect(try QuerySample.state(of: folder.url) == before)
    }

    @Test func aStoreInUseShowsItsLatestCommit() throws {
        let sample = try QuerySample()
        try QuerySample.open(sample.url) { context in
            _ = context.insert("Tag", ["word": "first"])
            try context.save()
            let store = try OpenStore(sample.url)
            let query = store.query(entity: "Tag")
            #expect(try query.count() == 4)
            var seen = 0
            try query.forEach { _ in
                // A commit during a query is not part of it.
                if seen == 0 {
                    _ = context.insert("Tag", ["word": "second"])
                    try context.save()
                }
                seen += 1
                return true
            }
            #expect(seen == 4)
            #expect(try query.count() == 5)
            // Nor does the open store keep others from emptying the log.
            try QuerySample.execute("PRAGMA wal_checkpoint(TRUNCATE);", at: sample.url)
            let logSize = try FileManager.default.attributesOfItem(atPath: sample.url.path + "-wal")[.size] as? Int
            #expect(logSize == 0)
            #expect(try query.count() == 5)
        }
    }

    @Test func aFileThatIsChangedMeanwhileIsAnError() throws {
        let sample = try QuerySample()
        let store = try OpenStore(sample.url)
        _ = try store.query(entity: "Tag").count()
        try QuerySample.execute("UPDATE ZTAG SET ZWORD = 'other'; PRAGMA wal_checkpoint(TRUNCATE);", at: sample.url)
        let found = #expect(throws: StoreToolError.self) { try store.query(entity: "Tag").rows() }
        #expect(found?.code == .changed)
    }

    @Test func aQueryStopsEarly() throws {
        let sample = try QuerySample()
        for columns in [["title"], ["tags.word"]] {
            var query = StoreQuery(sample.url, entity: "Book")
            query.columns = columns
            var seen = 0
            try query.forEach { _ in
                seen += 1
                return seen < 3
            }
            #expect(seen == 3)
        }
    }

    @Test func whatIsNoStoreIsNamed() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: StoreToolError.self) {
            try StoreQuery(folder.file("None.sqlite"), entity: "Book").rows()
        }
        #expect(missing?.code == .noFile)
        try Data("Hello, this is a text and nothing else.".utf8).write(to: folder.file("Text.sqlite"))
        let text = #expect(throws: StoreToolError.self) {
            try StoreQuery(folder.file("Text.sqlite"), entity: "Book").rows()
        }
        #expect(text?.code == .notAStore)
    }
}
#endif
