@testable import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// A store of the library model in a folder, to be damaged and rescued.
final class RescueSample {
    let folder: TemporaryFolder
    var url: URL { folder.file("Library.sqlite") }
    var rescued: URL { folder.file("Rescued.sqlite") }

    /// 400 books by 40 authors, 5 shelves, 12 tags, 40 awards.
    static let prepared = Result {
        try PreparedStore(LibraryModel.make()) { context in
            let authors = (0..<40).map { context.insert("Author", ["name": "Author \($0)", "rating": Double($0) / 7]) }
            let tags = (0..<12).map { context.insert("Tag", ["word": "tag\($0)"]) }
            let shelves = (0..<5).map { context.insert("Shelf", ["label": "Shelf \($0)"]) }
            for (number, author) in authors.enumerated() {
                context.insert("Award", ["year": 1980 + number]).setValue(author, forKey: "winner")
            }
            for number in 0..<400 {
                let book = context.insert(
                    "Book",
                    [
                        "title": "Title \(number) " + String(repeating: "ü", count: number % 50), "pages": number,
                        "isbn": UUID(),
                        "price": NSDecimalNumber(mantissa: UInt64(number), exponent: -2, isNegative: false),
                        "published": Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.5),
                    ])
                book.setValue(authors[number % 40], forKey: "author")
                book.mutableSetValue(forKey: "tags").addObjects(from: [tags[number % 12], tags[(number + 5) % 12]])
                shelves[number % 5].mutableOrderedSetValue(forKey: "books").add(book)
            }
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        try Self.prepared.get().write(to: url)
        // All pages in the file: damage is then independent of the log.
        try shell("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL;")
    }

    /// Runs the sqlite3 shell on the store or another one; returns its output.
    @discardableResult
    func shell(_ script: String, on file: URL? = nil) throws -> String { try rescueShell(script, file ?? url) }

    /// Changes bytes of the file.
    func patch(at offset: Int, _ bytes: Data) throws {
        let handle = try FileHandle(forUpdating: url)
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// Overwrites a page with zeros.
    func zero(_ page: Int) throws { try patch(at: (page - 1) * 4096, Data(count: 4096)) }

    /// The pages of a table, of one kind (`leaf` or `internal`), in the order of the keys.
    func pages(_ table: String, _ kind: String = "leaf") throws -> [Int] {
        try shell("SELECT pageno FROM dbstat WHERE name = '\(table)' AND pagetype = '\(kind)' ORDER BY path")
            .split(separator: "\n").compactMap { Int($0) }
    }

    func rescue(_ configure: (inout StoreRescue) -> Void = { _ in }) throws -> RescueReport {
        var rescue = StoreRescue(url)
        configure(&rescue)
        return try rescue.write(to: rescued)
    }

    /// All rows of all tables but the internal ones, each as text, sorted.
    func content(_ file: URL) throws -> [String] {
        try shell(".dump", on: file).split(separator: "\n").filter { $0.hasPrefix("INSERT INTO") }.map(String.init)
            .sorted()
    }

    /// Opens the new store with the model, and checks it by the rules of the format.
    func expectSound(_ file: URL? = nil, _ model: NSManagedObjectModel = LibraryModel.make()) throws {
        let file = file ?? rescued
        #expect(try shell("PRAGMA integrity_check", on: file) == "ok\n")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: file)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for name in model.entitiesByName.keys {
                for object in try context.fetchAll(name) {
                    for key in object.entity.propertiesByName.keys { _ = object.value(forKey: key) }
                }
            }
        }
        try coordinator.remove(store)
        #expect(try StoreAuditor(file, model.layouts).problems() == [])
        let findings = try StoreCheck(file).run().findings
        #expect(findings.map(\.description) == [])
    }
}

/// Runs the sqlite3 shell; returns its output.
func rescueShell(_ script: String, _ file: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = ["-bail", file.path]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
    try input.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else { throw RescueShellError(message: text) }
    return text
}

struct RescueShellError: Error { let message: String }
