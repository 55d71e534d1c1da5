#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite("What the server refuses", .enabled(if: TestServer.isAvailable))
struct RefusalTests {
    private func check(
        _ error: NSError?, _ code: Int, _ state: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.domain == NSCocoaErrorDomain, "\(error as Any)", sourceLocation: sourceLocation)
        #expect(error?.code == code, "\(error as Any)", sourceLocation: sourceLocation)
        #expect(error?.userInfo["SQLSTATE"] as? String == state, "\(error as Any)", sourceLocation: sourceLocation)
        #expect(error?.localizedRecoverySuggestion?.isEmpty == false, sourceLocation: sourceLocation)
    }

    @Test func `Reads and saves without rights on a table are errors, and nothing is written`() throws {
        let store = try RawStore()
        try store.alter("ALTER TABLE SCHEMA.sample OWNER TO CURRENT_USER")
        let code = NSPersistentStoreOperationError
        let read = cocoaError { _ = try store.rows("Sample") }
        check(read, code, "42501")
        #expect(read?.localizedFailureReason?.contains("sample") == true)
        let save = cocoaError {
            try store.save {
                $0.insert("Tag", ["word": "a"])
                $0.insert("Sample", ["text": "a"])
            }
        }
        check(save, code, "42501")
        check(cocoaError { try store.insert("Sample", [["text": "a"]]) }, code, "42501")
        #expect(try store.count("Tag") == 0)
    }

    @Test func `A store is not made without rights on the schema`() throws {
        let error = cocoaError {
            _ = try RawStore { schema in
                try TestServer.execute(
                    "ALTER SCHEMA \(schema) OWNER TO CURRENT_USER", "GRANT USAGE ON SCHEMA \(schema) TO \(schema)")
            }
        }
        check(error, NSPersistentStoreOperationError, "42501")
    }

    @Test func `A store is not made in a schema that does not exist`() throws {
        let error = cocoaError {
            _ = try RawStore { try TestServer.execute("ALTER ROLE \($0) SET search_path = nowhere") }
        }
        check(error, NSPersistentStoreOperationError, "3F000")
    }

    @Test func `A full disk of the server is an error of the save, and nothing is half written`() throws {
        let store = try RawStore()
        try store.alter(
            "CREATE FUNCTION SCHEMA.fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                + "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$",
            "CREATE TRIGGER fill BEFORE INSERT ON SCHEMA.sample FOR EACH ROW EXECUTE FUNCTION SCHEMA.fill()")
        let error = cocoaError {
            try store.save {
                $0.insert("Tag", ["word": "a"])
                $0.insert("Sample", ["text": "a"])
            }
        }
        check(error, NSPersistentStoreSaveError, "53100")
        #expect(error?.localizedFailureReason?.contains("No space left") == true)
        check(cocoaError { try store.insert("Sample", [["text": "a"]]) }, NSPersistentStoreSaveError, "53100")
        #expect(try store.count("Tag") == 0)
        try store.alter("DROP TRIGGER fill ON SCHEMA.sample")
        try store.save { $0.insert("Sample", ["text": "a"]) }
        #expect(try store.count("Sample") == 1)
    }
}
#endif
