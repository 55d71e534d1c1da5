import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// The tables a model gets are those Apple's framework makes for it, name by name and letter by letter.
@Suite(.enabled(if: RealStores.areAvailable, RealStores.comment))
struct SchemaTests {
    @Test(arguments: RealStores.all)
    func tablesAreApples(_ sample: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let model = try sample.loadModel(copy)
        defer { withExtendedLifetime(model) {} }
        let layouts = model.layouts
        let schema = try SQLSchema(layouts, numbering: EntityNumbering(layouts))
        let connection = try SQLiteConnection(path: copy.url.path, access: .readWrite, busyTimeout: 1)
        let statement = try connection.prepare(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'A%'")
        var actual: Set<String> = []
        while try statement.step() { actual.insert(statement.text(0) ?? "") }
        var predicted = Set(try schema.creationStatements(layouts))
        if sample.isOld { predicted.remove(SQLSchema.modelCacheTable) }
        if sample.sortsColumnsByName {
            #expect(predicted.subtracting(actual).isEmpty)
            #expect(actual.subtracting(predicted).isEmpty)
        } else {
            #expect(Set(predicted.map(\.sortedWords)) == Set(actual.map(\.sortedWords)))
        }
    }

    @Test(arguments: RealStores.all)
    func entityNumbersAreApples(_ sample: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let model = try sample.loadModel(copy)
        defer { withExtendedLifetime(model) {} }
        let layouts = model.layouts
        let connection = try SQLiteConnection(path: copy.url.path, access: .readWrite, busyTimeout: 1)
        let statement = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
        var count = 0
        while try statement.step() {
            count += 1
            let layout = try #require(layouts.byNumber[Int(statement.integer(0))])
            #expect(layout.name == statement.text(1))
            #expect(layout.superlayout?.number ?? 0 == Int(statement.integer(2)))
        }
        #expect(count == layouts.all.count)
    }
}

extension String {
    /// The words of a statement regardless of their order, for frameworks that kept columns in another one.
    fileprivate var sortedWords: [String] { split { " (),".contains($0) }.map(String.init).sorted() }
}
