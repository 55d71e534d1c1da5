#if PostgreSQL
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import PredicateFormat
import Testing

@Suite("Tables that were altered by hand", .enabled(if: TestServer.isAvailable))
struct AlteredTablesTests {
    private func filled() throws -> RawStore {
        let store = try RawStore()
        try store.insert("Sample", [["text": "12", "short": 1, "long": 5, "flag": true, "double": 1.5]])
        // Statements are prepared before.
        #expect(try store.rows("Sample").count == 1)
        return store
    }

    private func check(
        _ error: NSError?, _ property: String?, _ texts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.domain == NSCocoaErrorDomain, "\(error as Any)", sourceLocation: sourceLocation)
        let code = NSPersistentStoreIncompatibleSchemaError
        #expect(error?.code == code, "\(error as Any)", sourceLocation: sourceLocation)
        #expect(error?.userInfo["entity"] as? String == "Sample", sourceLocation: sourceLocation)
        #expect(error?.userInfo["property"] as? String == property, sourceLocation: sourceLocation)
        #expect(error?.localizedRecoverySuggestion?.isEmpty == false, sourceLocation: sourceLocation)
        for text in texts {
            let reason = error?.localizedFailureReason ?? ""
            #expect(reason.contains(text), "\(reason)", sourceLocation: sourceLocation)
        }
    }

    @Test func `A table that was dropped is named, in reads, saves, and when the store is opened`() throws {
        let store = try filled()
        try store.alter("DROP TABLE SCHEMA.sample CASCADE")
        let errors = [
            cocoaError { _ = try store.rows("Sample") }, cocoaError { _ = try store.count("Sample") },
            cocoaError { try store.save { $0.insert("Sample", ["text": "a"]) } }, cocoaError { try store.reopen() },
        ]
        for error in errors { check(error, nil, "no table sample", "Sample") }
        #expect(errors[0]?.userInfo["SQLSTATE"] as? String == "42P01")
        // Others go on.
        try store.save { $0.insert("Tag", ["word": "a"]) }
        #expect(try store.count("Tag") == 1)
    }

    @Test func `A column that was dropped is named with its attribute`() throws {
        let store = try filled()
        try store.alter("ALTER TABLE SCHEMA.sample DROP COLUMN text")
        let errors = [
            cocoaError { _ = try store.rows("Sample") },
            cocoaError { _ = try store.session.countRows(store.fetch("Sample", "text == 'a'")) },
            cocoaError { try store.save { $0.insert("Sample", ["text": "a"]) } },
            cocoaError { try store.insert("Sample", [["text": "a"]]) }, cocoaError { try store.reopen() },
        ]
        for error in errors { check(error, "text", "sample", "column text", "Sample.text") }
    }

    @Test(arguments: [
        ("text", "integer"), ("text", "bytea"), ("short", "text"), ("long", "double precision"), ("flag", "integer"),
        ("double", "text"), ("date", "timestamp"), ("uuid", "bytea"), ("decimal", "double precision"),
        ("bytes", "text"), ("int", "bigint"),
    ])
    func `A column of another type is an error, never another value`(_ attribute: String, _ type: String) throws {
        let store = try filled()
        try store.alter(
            "ALTER TABLE SCHEMA.sample DROP COLUMN \"\(attribute)\"",
            "ALTER TABLE SCHEMA.sample ADD COLUMN \"\(attribute)\" \(type)")
        check(cocoaError { _ = try store.rows("Sample") }, attribute, "Sample.\(attribute)")
        check(cocoaError { try store.reopen() }, attribute, attribute, "sample", "Sample.\(attribute)")
    }

    @Test func `Dictionaries and conditions over a column of another type are errors`() throws {
        let store = try filled()
        try store.alter("ALTER TABLE SCHEMA.sample ALTER COLUMN text TYPE integer USING text::integer")
        var table = FetchTable()
        table.columns = [FetchColumn(name: "text", content: .path(["text"]))]
        check(cocoaError { _ = try store.dictionaries(store.fetch("Sample"), table) }, "text", "integer")
        check(
            cocoaError { _ = try store.session.countRows(store.fetch("Sample", "text BEGINSWITH '1'")) }, "text",
            "integer")
    }

    @Test func `A narrower type, and text of a limited length, are read as before`() throws {
        let store = try filled()
        try store.alter(
            "ALTER TABLE SCHEMA.sample ALTER COLUMN text TYPE varchar(20)",
            "ALTER TABLE SCHEMA.sample ALTER COLUMN \"long\" TYPE smallint")
        let row = try #require(try store.rows("Sample").first)
        #expect(row.text("text") == "12")
        #expect(row.number("long") == 5)
        try store.reopen()
        var table = FetchTable()
        table.columns = [FetchColumn(name: "text", content: .path(["text"]))]
        let texts = try store.dictionaries(store.fetch("Sample"), table).map { $0["text"] as? String }
        #expect(texts == ["12"])
    }

    // MARK: Constraints

    @Test func `A value that a NOT NULL of the table refuses is named`() throws {
        let store = try RawStore()
        try store.alter("ALTER TABLE SCHEMA.sample ALTER COLUMN text SET NOT NULL")
        let errors = [
            cocoaError {
                try store.save {
                    $0.insert("Tag", ["word": "a"])
                    $0.insert("Sample", ["short": 1])
                }
            }, cocoaError { try store.insert("Sample", [["short": 1]]) },
        ]
        for error in errors {
            #expect(error?.code == NSValidationMissingMandatoryPropertyError, "\(error as Any)")
            #expect(error?.userInfo["entity"] as? String == "Sample")
            #expect(error?.userInfo["property"] as? String == "text")
            #expect(error?.userInfo["SQLSTATE"] as? String == "23502")
        }
        #expect(try store.count("Tag") == 0)
        #expect(try store.count("Sample") == 0)
    }

    @Test func `A value that a CHECK of the table refuses is named`() throws {
        let store = try RawStore()
        try store.alter("ALTER TABLE SCHEMA.sample ADD CONSTRAINT \"small; --\" CHECK (short < 10)")
        let errors = [
            cocoaError { try store.save { $0.insert("Sample", ["short": 11]) } },
            cocoaError { try store.insert("Sample", [["short": 11]]) },
        ]
        for error in errors {
            #expect(error?.code == NSManagedObjectValidationError, "\(error as Any)")
            #expect(error?.userInfo["entity"] as? String == "Sample")
            #expect(error?.userInfo["property"] as? String == "short")
            #expect(error?.userInfo["SQLSTATE"] as? String == "23514")
            #expect(error?.localizedDescription.contains("small; --") == true)
        }
        #expect(try store.count("Sample") == 0)
    }
}
#endif
