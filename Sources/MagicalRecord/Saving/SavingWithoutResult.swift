import CoreData

// A closure of one expression has that expression's type, and objects are not Sendable: with the functions that return a value
// alone, `save { try User.create(in: $0) }` would not compile. The compiler prefers those wherever the value is Sendable, since
// they are more specialized.

extension MagicalRecord.Stack {
    /// As ``save(_:)->_``, for a closure whose value cannot leave it, such as an object. The value is dropped.
    ///
    /// ```swift
    /// try await stack.save { context in try User.create(in: context) }
    /// ```
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public func save<Value>(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value) async throws {
        _ = try await saveReportingOutcome { _ = try body($0) }
    }

    /// As ``save(onConflict:_:)->_``, for a closure whose value cannot leave it, such as an object. The value is dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public func save<Value>(
        onConflict handling: MagicalRecord.ConflictHandling,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        _ = try await saveReportingOutcome(onConflict: handling) { _ = try body($0) }
    }

    /// As the other `saveReportingOutcome(_:)`, for a closure whose value cannot leave it, such as an object. The value is dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public func saveReportingOutcome<Value>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Void, outcome: MagicalRecord.SaveOutcome) {
        try await saveReportingOutcome { _ = try body($0) }
    }

    /// As the other `saveReportingOutcome(onConflict:_:)`, for a closure whose value cannot leave it, such as an object. The value is
    /// dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public func saveReportingOutcome<Value>(
        onConflict handling: MagicalRecord.ConflictHandling,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Void, outcome: MagicalRecord.SaveOutcome) {
        try await saveReportingOutcome(onConflict: handling) { _ = try body($0) }
    }

    /// As ``write(exclusive:_:)->_``, for a closure whose value cannot leave it, such as an object. The value is dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public func write<Value>(
        exclusive: Bool, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        let discarding: @Sendable (NSManagedObjectContext) throws -> Void = { _ = try body($0) }
        return try await write(exclusive: exclusive, discarding)
    }
}

extension MagicalRecord {
    /// As ``save(_:)->_``, for a closure whose value cannot leave it, such as an object. The value is dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public static func save<Value>(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value) async throws {
        try await requireStack().save(body)
    }

    /// As ``save(onConflict:_:)->_``, for a closure whose value cannot leave it, such as an object. The value is dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public static func save<Value>(
        onConflict handling: ConflictHandling, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        try await requireStack().save(onConflict: handling, body)
    }

    /// As the other `saveReportingOutcome(_:)`, for a closure whose value cannot leave it, such as an object. The value is dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public static func saveReportingOutcome<Value>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Void, outcome: SaveOutcome) {
        try await requireStack().saveReportingOutcome(body)
    }

    /// As the other `saveReportingOutcome(onConflict:_:)`, for a closure whose value cannot leave it, such as an object. The value is
    /// dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public static func saveReportingOutcome<Value>(
        onConflict handling: ConflictHandling, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> (value: Void, outcome: SaveOutcome) {
        try await requireStack().saveReportingOutcome(onConflict: handling, body)
    }

    /// As ``write(exclusive:_:)->_``, for a closure whose value cannot leave it, such as an object. The value is dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then nothing has been saved.
    public static func write<Value>(
        exclusive: Bool, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        try await requireStack().write(exclusive: exclusive, body)
    }
}

extension MagicalRecord.Database {
    /// As ``write(_:waitingForMerges:_:)->_``, for a closure whose value cannot leave it, such as an object. The value is
    /// dropped.
    ///
    /// - Throws: what `body` throws, or Core Data's error; then the changes are discarded.
    public func write<Value>(
        _ name: String, waitingForMerges: Bool = false,
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws {
        let discarding: @Sendable (NSManagedObjectContext) throws -> Void = { _ = try body($0) }
        return try await write(name, waitingForMerges: waitingForMerges, discarding)
    }
}
