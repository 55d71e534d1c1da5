import CoreData

/// The reports of the framework's work to the instruments of the package's own Core Data. Apple's Core Data has none for them.
enum EngineReports {
    /// Runs work that the program requested explicitly, with findings suppressed.
    static func asked<Result>(_ body: () throws -> Result) rethrows -> Result {
        #if canImport(ObjectiveC)
        try body()
        #else
        try Instruments.withoutFindings(body)
        #endif
    }

    /// Runs the import of some records.
    static func importChunk<Result>(
        of count: Int, as entity: String?, in context: NSManagedObjectContext, _ body: () throws -> Result
    ) rethrows -> Result {
        #if canImport(ObjectiveC)
        try body()
        #else
        try Instruments.importChunk(of: count, as: entity, in: context, body)
        #endif
    }
}
