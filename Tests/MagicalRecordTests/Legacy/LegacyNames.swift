import MagicalRecord

/// The Swift functions that stand for the original's methods.
///
/// That this compiles shows that each exists under its name, takes what the original took and gives what it gave; see
/// `LegacyNameTests` for whether any is missing.
struct LegacyNames {
    typealias Ctx = NSManagedObjectContext
    typealias Obj = NSManagedObject
    typealias Pred = NSPredicate
    typealias Req = NSFetchRequest<any NSFetchRequestResult>
    typealias Controller = NSFetchedResultsController<any NSFetchRequestResult>
    typealias Delegate = (any NSFetchedResultsControllerDelegate)?
    typealias Coordinator = NSPersistentStoreCoordinator
    typealias Store = NSPersistentStore
    typealias Model = NSManagedObjectModel
    typealias Options = [AnyHashable: Any]
    typealias Block = @Sendable (NSManagedObjectContext) -> Void
    typealias Done = MRSaveCompletionHandler
    typealias Callback = @Sendable () -> Void
    typealias ErrorCallback = @Sendable ((any Error)?) -> Void
    #if canImport(ObjectiveC)
    typealias ErrorTarget = Any?
    #else
    typealias ErrorTarget = (any MagicalRecordErrorTarget)?
    #endif

    /// The names, as `OriginalDeclarations` has them, of those seen so far.
    var names: [String] = []

    /// Notes that `function` stands for the method `name`.
    mutating func row<Function>(_ name: String, _ function: Function) {
        names.append(name)
    }

    static let all: [String] = {
        var rows = LegacyNames()
        rows.addCore()
        rows.addObjects()
        rows.addFinders()
        rows.addAggregates()
        rows.addControllers()
        rows.addContexts()
        rows.addStores()
        rows.addImportHelpers()
        rows.addDeprecated()
        return rows.names
    }()
}
