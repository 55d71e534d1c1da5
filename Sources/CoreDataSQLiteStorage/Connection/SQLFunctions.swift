import CCoreDataSQLite
import Foundation

/// The SQL functions that Core Data's files and our queries call.
enum SQLFunctions {
    typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// An SQL function: its name, its number of arguments, and its implementation.
    struct Definition {
        let name: String
        let count: Int32
        let function: Function

        init(_ name: String, _ count: Int32, _ function: @escaping Function) {
            self.name = name
            self.count = count
            self.function = function
        }
    }

    /// Registers the functions on a connection and returns SQLite's result code.
    static func register(on handle: OpaquePointer, derivedChanges: DerivedChanges) -> Int32 {
        var result = registerTriggerFunctions(on: handle, derivedChanges)
        for definition in TextFunctions.all where result == SQLITE_OK { result = add(definition, on: handle) }
        for definition in NumberFunctions.all where result == SQLITE_OK { result = add(definition, on: handle) }
        return result == SQLITE_OK ? DecimalSum.register(on: handle) : result
    }

    private static func add(_ definition: Definition, on handle: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            handle, definition.name, definition.count, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
            definition.function, nil, nil, nil)
    }

    /// Registers the functions that triggers of derived attributes call. Their names are Apple's.
    private static func registerTriggerFunctions(on handle: OpaquePointer, _ changes: DerivedChanges) -> Int32 {
        let context = Unmanaged.passUnretained(changes).toOpaque()
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            let result = sqlite3_create_function_v2(
                handle, name, -1, SQLITE_UTF8, context,
                { call, count, arguments in
                    guard count >= 3, let arguments, let data = sqlite3_user_data(call) else { return }
                    Unmanaged<DerivedChanges>.fromOpaque(data)._withUnsafeGuaranteedRef {
                        $0.note(
                            entityNumber: sqlite3_value_int64(arguments[1]), key: sqlite3_value_int64(arguments[2]))
                    }
                }, nil, nil, nil)
            guard result == SQLITE_OK else { return result }
        }
        return sqlite3_create_function_v2(
            handle, "CDNow", 0, SQLITE_UTF8, nil,
            { call, _, _ in sqlite3_result_double(call, Date().timeIntervalSinceReferenceDate) }, nil, nil, nil)
    }
}
