import CSQLite
import Foundation

/// The SQL functions Core Data's files and our queries call.
enum SQLFunctions {
    typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    static func register(on handle: OpaquePointer, derivedChanges: DerivedChanges) {
        registerTriggerFunctions(on: handle, derivedChanges)
        for (name, count, function) in TextFunctions.all + NumberFunctions.all {
            add(name, count, function, on: handle)
        }
    }

    private static func add(_ name: String, _ count: Int32, _ function: @escaping Function, on handle: OpaquePointer) {
        sqlite3_create_function_v2(
            handle, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, function, nil, nil, nil)
    }

    /// What triggers of derived attributes report to. Their names are Apple's.
    private static func registerTriggerFunctions(on handle: OpaquePointer, _ changes: DerivedChanges) {
        let context = Unmanaged.passUnretained(changes).toOpaque()
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            sqlite3_create_function_v2(
                handle, name, -1, SQLITE_UTF8, context,
                { call, count, arguments in
                    guard count >= 3, let arguments, let data = sqlite3_user_data(call) else { return }
                    Unmanaged<DerivedChanges>.fromOpaque(data)._withUnsafeGuaranteedRef {
                        $0.note(
                            entityNumber: sqlite3_value_int64(arguments[1]), key: sqlite3_value_int64(arguments[2]))
                    }
                }, nil, nil, nil)
        }
        sqlite3_create_function_v2(
            handle, "CDNow", 0, SQLITE_UTF8, nil,
            { call, _, _ in sqlite3_result_double(call, Date().timeIntervalSinceReferenceDate) }, nil, nil, nil)
    }
}
