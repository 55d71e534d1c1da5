import CCoreDataSQLite
import PredicateFormat

/// A string operator with its right-hand side, prepared once for all rows of a statement and passed to `CDMatch`.
final class PreparedMatcher: Sendable {
    let matcher: StringMatcher

    init(_ matcher: StringMatcher) { self.matcher = matcher }

    static nonisolated(unsafe) let pointerType: UnsafePointer<CChar> = {
        let text: StaticString = "CDMatcher"
        return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }()
}

extension SQLiteStatement {
    /// Binds a matcher to the second parameter of `CDMatch`; SQLite retains it until another is bound.
    func bind(_ matcher: PreparedMatcher, at index: Int32) throws {
        // SQLite releases the matcher even if binding fails.
        try check(
            sqlite3_bind_pointer(
                pointer, index, Unmanaged.passRetained(matcher).toOpaque(), PreparedMatcher.pointerType,
                { Unmanaged<PreparedMatcher>.fromOpaque($0!).release() }))
    }
}
