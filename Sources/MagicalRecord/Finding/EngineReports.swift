import CoreData

/// What the package's own Core Data is told of the framework's work, for its instruments. Apple's has instruments of its own.
enum EngineReports {
    /// Runs what the program has asked for in so many words: no mistake is looked for in it.
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
