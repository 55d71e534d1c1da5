import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct RescueOfLostPagesTests {
    /// Two many-to-many relationships between the same entities, each with enough pairs for several pages.
    private func twins(areOrdered: Bool) throws -> MendingSample {
        let model = makeModel([
            (
                "Book",
                "title: string?; readers -> Reader.read 0..0?; writers -> Reader.written 0..0?"
                    + (areOrdered ? " ordered" : "")
            ),
            ("Reader", "name: string?; read -> Book.readers 0..0?; written -> Book.writers 0..0?"),
        ])
        return try MendingSample(model) { context in
            let books = (0..<60).map { context.insert("Book", ["title": "\($0)"]) }
            let readers = (0..<60).map { context.insert("Reader", ["name": "\($0)"]) }
            for (number, book) in books.enumerated() {
                book.mutableSetValue(forKey: "readers").addObjects(from: (0..<9).map { readers[(number + $0) % 60] })
                let writers = (0..<7).map { readers[(number * 7 + $0) % 60] }
                if areOrdered {
                    for writer in writers { book.mutableOrderedSetValue(forKey: "writers").add(writer) }
                } else {
                    book.mutableSetValue(forKey: "writers").addObjects(from: writers)
                }
            }
        }
    }

    private func joins(_ sample: MendingSample, _ file: URL) throws -> [String] {
        try ["Z_1READERS", "Z_1WRITERS"].map { try sample.shell("SELECT * FROM \($0) ORDER BY 1, 2", on: file) }
    }

    /// Overwrites the schema, which is on page 1 and others.
    private func removeSchema(_ sample: MendingSample) throws {
        _ = try sample.zero("sqlite_schema")
    }

    @Test(arguments: [false, true])
    func tablesOfOneShapeAreToldApartByTheirOrderInTheFile(areOrdered: Bool) throws {
        let sample = try twins(areOrdered: areOrdered)
        let before = try joins(sample, sample.url)
        try #require(before[0] != before[1])
        try removeSchema(sample)
        let handle = try FileHandle(forUpdating: sample.url)
        try handle.write(contentsOf: Data(count: 4096))
        try handle.close()
        let report = try sample.rescue()
        #expect(try joins(sample, sample.rescued) == before, "\(report.notes.map(\.message))")
        try sample.expectSound()
    }

    @Test func missingExternalFilesAndOrphansAreNamed() throws {
        let model = makeModel([("Photo", "name: string?; data: data? external")])
        let folder = try TemporaryFolder()
        let url = folder.file("Photos.sqlite")
        let library = try Library(model, type: NSSQLiteStoreType, at: url)
        try library.perform { context in
            for number in 0..<4 {
                context.insert("Photo", ["name": "\(number)", "data": Data(repeating: UInt8(number), count: 200_000)])
            }
            try context.save()
        }
        for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
        let data = folder.file(".Photos_SUPPORT/_EXTERNAL_DATA")
        func name(_ photo: Int) throws -> String {
            try rescueShell("SELECT substr(ZDATA, 2, 36) FROM ZPHOTO WHERE ZNAME = '\(photo)'", url)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let (lost, orphan) = (try name(1), try name(2))
        let key = Int64(try rescueShell("SELECT Z_PK FROM ZPHOTO WHERE ZNAME = '1'", url).dropLast())
        try FileManager.default.removeItem(at: data.appendingPathComponent(lost))
        _ = try rescueShell("DELETE FROM ZPHOTO WHERE ZNAME = '2'; PRAGMA wal_checkpoint(TRUNCATE); VACUUM;", url)
        let target = folder.file("Rescued.sqlite")
        let report = try StoreRescue(url).write(to: target)
        #expect(report.orphanedFiles.map(\.lastPathComponent) == [orphan])
        let note = try #require(report.notes.first { $0.property == "data" })
        #expect(note.isLoss && note.entity == "Photo" && note.keys == [key])
        let lines = try String(contentsOf: try #require(report.leftovers), encoding: .utf8)
        #expect(lines.contains("missing") || lines.contains("Photo"))
        let copied = try FileManager.default.contentsOfDirectory(
            atPath: folder.file(".Rescued_SUPPORT/_EXTERNAL_DATA").path)
        #expect(copied.count == 2)
        #expect(try StoreCheck(target).run().findings == [])
    }

    @Test func deletedRowsAreCountedAndRestoredOnRequest() throws {
        let sample = try RescueSample()
        let before = try sample.content(sample.url).filter { $0.hasPrefix("INSERT INTO ZBOOK") }
        // The pages of the last 150 rows become free, but for those that the last page that is kept shares.
        try sample.shell(
            "PRAGMA secure_delete = 0; DELETE FROM ZBOOK WHERE Z_PK > 250; DELETE FROM Z_3TAGS;")
        let report = try sample.rescue()
        #expect(report.deletedRows > 50 && report.deletedRows <= 150, "\(report.deletedRows)")
        #expect(report.entities.first { $0.entity == "Book" }?.kept == 250)
        #expect(report.entities.allSatisfy { $0.lost == 0 })
        let target = sample.folder.file("All.sqlite")
        var rescue = StoreRescue(sample.url)
        rescue.restoresDeletedRows = true
        let all = try rescue.write(to: target)
        let books = try sample.content(target).filter { $0.hasPrefix("INSERT INTO ZBOOK") }
        #expect(books.count >= 250 + report.deletedRows)
        // The end of a deleted row may have been overwritten by another cell.
        #expect(Set(books).subtracting(before).count <= 3)
        #expect(all.deletedRows == 0)
        #expect(all.notes.contains { $0.message.contains("deleted row was restored") && $0.entity == "Book" })
        let findings = try StoreCheck(target).run().findings
        #expect(findings == [])
        try sample.expectSound(target)
    }
}
