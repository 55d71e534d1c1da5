import CoreDataRowStorage

extension Instruments {
    /// Runs what a framework does for a program that has asked for just that: the alarm does not question it.
    package static func withoutFindings<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Probe.internally(body)
    }

    /// Runs the import of some records as one event.
    ///
    /// - Parameters:
    ///   - count: how many records there are.
    ///   - entity: what they become.
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
