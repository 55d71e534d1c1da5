import CCoreDataSQLite

/// Values bound to one parameter as a table: `x IN (SELECT value FROM CDArray(?))` takes any number of them, so one prepared
/// statement serves lists of every length.
final class KeyArray: Sendable {
    enum Values: Sendable {
        case integers(ContiguousArray<Int64>)
        case reals(ContiguousArray<Double>)
        /// Values of any type, bound one by one; UTF-8 in `text`, raw bytes in `blob`.
        case mixed(ContiguousArray<Value>)
    }

    enum Value: Sendable {
        case integer(Int64)
        case real(Double)
        case text(ContiguousArray<UInt8>)
        case blob(ContiguousArray<UInt8>)
    }

    let values: Values
    let count: Int

    init(_ values: Values) {
        self.values = values
        count =
            switch values {
            case .integers(let all): all.count
            case .reals(let all): all.count
            case .mixed(let all): all.count
            }
    }

    convenience init(keys: ContiguousArray<Int64>) { self.init(.integers(keys)) }

    fileprivate func give(_ row: Int, to context: OpaquePointer?) {
        switch values {
        case .integers(let all): sqlite3_result_int64(context, all[row])
        case .reals(let all): sqlite3_result_double(context, all[row])
        case .mixed(let all):
            switch all[row] {
            case .integer(let value): sqlite3_result_int64(context, value)
            case .real(let value): sqlite3_result_double(context, value)
            case .text(let bytes):
                bytes.withUnsafeBytes { bytes in
                    guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else {
                        return sqlite3_result_text64(context, "", 0, SQLiteStatement.copied, UInt8(SQLITE_UTF8))
                    }
                    sqlite3_result_text64(
                        context, start, UInt64(bytes.count), SQLiteStatement.copied, UInt8(SQLITE_UTF8))
                }
            case .blob(let bytes):
                bytes.withUnsafeBytes {
                    sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), SQLiteStatement.copied)
                }
            }
        }
    }
}

extension SQLiteStatement {
    /// Binds an array to a parameter of `CDArray`; SQLite retains it until another is bound.
    func bind(_ array: KeyArray, at index: Int32) throws {
        // SQLite releases the array even if binding fails.
        try check(
            sqlite3_bind_pointer(
                pointer, index, Unmanaged.passRetained(array).toOpaque(), KeyArrayModule.pointerType,
                { Unmanaged<KeyArray>.fromOpaque($0!).release() }))
    }
}

/// The table-valued function `CDArray`.
enum KeyArrayModule {
    fileprivate nonisolated(unsafe) static let pointerType: UnsafePointer<CChar> = {
        let text: StaticString = "CDArray"
        return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }()

    /// Registers the module on a connection and returns SQLite's result code.
    static func register(on handle: OpaquePointer) -> Int32 {
        sqlite3_create_module_v2(handle, "CDArray", module, nil, nil)
    }

    /// A cursor of the table. SQLite's part must come first.
    private struct Cursor {
        var base = sqlite3_vtab_cursor()
        var array: Unmanaged<KeyArray>?
        var row = 0
        var count = 0
    }

    private static func cursor(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor> {
        UnsafeMutableRawPointer(pointer!).assumingMemoryBound(to: Cursor.self)
    }

    private nonisolated(unsafe) static let module: UnsafeMutablePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: sqlite3_module())
        module.pointee.xConnect = { handle, _, _, _, table, _ in
            let result = sqlite3_declare_vtab(handle, "CREATE TABLE CDArray(value, source HIDDEN)")
            guard result == SQLITE_OK else { return result }
            let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
            made.initialize(to: sqlite3_vtab())
            table?.pointee = made
            return SQLITE_OK
        }
        module.pointee.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        module.pointee.xBestIndex = { _, info in
            guard let info else { return SQLITE_MISUSE }
            for index in 0..<Int(info.pointee.nConstraint) {
                let constraint = info.pointee.aConstraint[index]
                guard constraint.iColumn == 1, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ) else { continue }
                guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
                info.pointee.aConstraintUsage[index].argvIndex = 1
                info.pointee.aConstraintUsage[index].omit = 1
                info.pointee.idxNum = 1
                info.pointee.estimatedCost = 1
                info.pointee.estimatedRows = 100
                return SQLITE_OK
            }
            info.pointee.estimatedCost = 1e12
            return SQLITE_OK
        }
        module.pointee.xOpen = { _, result in
            let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            made.initialize(to: Cursor())
            result?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.pointee.xClose = { pointer in
            KeyArrayModule.cursor(pointer).deallocate()
            return SQLITE_OK
        }
        module.pointee.xFilter = { pointer, plan, _, count, arguments in
            let cursor = KeyArrayModule.cursor(pointer)
            cursor.pointee.row = 0
            cursor.pointee.array = nil
            cursor.pointee.count = 0
            if plan == 1, count == 1, let value = sqlite3_value_pointer(arguments?[0], KeyArrayModule.pointerType) {
                let array = Unmanaged<KeyArray>.fromOpaque(value)
                cursor.pointee.array = array
                cursor.pointee.count = array._withUnsafeGuaranteedRef { $0.count }
            }
            return SQLITE_OK
        }
        module.pointee.xNext = { pointer in
            KeyArrayModule.cursor(pointer).pointee.row += 1
            return SQLITE_OK
        }
        module.pointee.xEof = { pointer in
            let cursor = KeyArrayModule.cursor(pointer)
            return cursor.pointee.row >= cursor.pointee.count ? 1 : 0
        }
        module.pointee.xColumn = { pointer, context, column in
            let cursor = KeyArrayModule.cursor(pointer)
            if column == 0 {
                cursor.pointee.array?._withUnsafeGuaranteedRef { $0.give(cursor.pointee.row, to: context) }
            }
            return SQLITE_OK
        }
        module.pointee.xRowid = { pointer, row in
            row?.pointee = Int64(KeyArrayModule.cursor(pointer).pointee.row)
            return SQLITE_OK
        }
        return module
    }()
}
