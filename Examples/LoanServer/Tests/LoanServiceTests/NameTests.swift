import CoreData
import Foundation
import GRDB
import Hummingbird
import MagicalRecord
import Testing

/// With GRDB, Hummingbird and MagicalRecord imported into one file, unqualified names are never MagicalRecord's and so are
/// not ambiguous.
@Suite struct NameTests {
    @Test func plainNamesAreTheOthers() throws {
        #expect(_typeName(Column.self) == "GRDB.Column")
        #expect(_typeName(Database.self) == "GRDB.Database")
        #expect(_typeName(Configuration.self) == "GRDB.Configuration")
        #expect(_typeName(Request.self) == "HummingbirdCore.Request")
        #expect(_typeName(Router<BasicRequestContext>.self).hasPrefix("Hummingbird.Router"))
    }

    @Test func nestedNamesAreMagicalRecords() throws {
        let condition: MagicalRecord.Condition<NSManagedObject> = .format("name == %@", "Ann")
        var query = MagicalRecord.Query<NSManagedObject>(entityNamed: "User")
        query.condition = condition
        query.order = .key("name")
        #expect("\(condition)" == #"name == "Ann""#)
        #expect(_typeName(MagicalRecord.Database.self) == "MagicalRecord.MagicalRecord.Database")
        #expect(_typeName(MagicalRecord.Columns<NSManagedObject>.self).hasPrefix("MagicalRecord.MagicalRecord.Columns"))
        #expect(_typeName(MagicalRecord.Cursor.self) == "MagicalRecord.MagicalRecord.Cursor")
    }

    @Test func bothWork() throws {
        let queue = try DatabaseQueue()
        let sum = try queue.read { database in try Int.fetchOne(database, sql: "SELECT 40 + 2") }
        let predicate = NSPredicate(format: "SELF == 42")
        #expect(predicate.evaluate(with: sum))
    }
}
