import CoreDataRowStorage

extension Instruments {
    /// Runs an operation that the program has explicitly requested from a framework, and that the alarm ignores.
    package static func withoutFindings<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Probe.internally(body)
    }

    /// Runs the import of a group of records as one event.
    ///
    /// - Parameters:
    ///   - count: The number of records.
    ///   - entity: The entity of the imported objects.
    package static func importChunk<Result>(
        of count: Int, as entity: String?, in context: NSManagedObjectContext, _ body: () throws -> Result
    ) rethrows -> Result {
        guard Probe.isOn else { return try body() }
        return try Probe.measure(.importChunk, context.label, entity: entity) { record in
            record.objectCount = count
            return try body()
        }
    }
}
