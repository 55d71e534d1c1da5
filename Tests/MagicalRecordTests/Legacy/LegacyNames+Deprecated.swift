import MagicalRecord

/// The deprecated ones, named where everything is deprecated; called through a protocol, whose requirement is not, so that
/// there is no warning.
protocol DeprecatedRows {
    mutating func addDeprecatedRows()
}

extension LegacyNames {
    mutating func addDeprecated() {
        Self.addRows(to: &self)
    }

    private static func addRows(to rows: inout some DeprecatedRows) { rows.addDeprecatedRows() }
}

extension LegacyNames: DeprecatedRows {
    @available(*, deprecated, message: "Names what is deprecated")
    mutating func addDeprecatedRows() {
        addDeprecatedActions()
        addDeprecatedContexts()
    }

    @available(*, deprecated, message: "Names what is deprecated")
    private mutating func addDeprecatedActions() {
        row(
            "MagicalRecord +saveUsingCurrentThreadContextWithBlock:completion:",
            MagicalRecord.saveUsingCurrentThreadContext(_:completion:) as (@escaping Block, Done?) -> Void)
        row(
            "MagicalRecord +saveUsingCurrentThreadContextWithBlockAndWait:",
            MagicalRecord.saveUsingCurrentThreadContext(blockAndWait:) as ((NSManagedObjectContext) -> Void) -> Void)
        row(
            "MagicalRecord +saveInBackgroundWithBlock:",
            MagicalRecord.saveInBackground(_:) as (@escaping Block) -> Void)
        row(
            "MagicalRecord +saveInBackgroundWithBlock:completion:",
            MagicalRecord.saveInBackground(_:completion:) as (@escaping Block, Callback?) -> Void)
        row(
            "MagicalRecord +saveInBackgroundUsingCurrentContextWithBlock:completion:errorHandler:",
            MagicalRecord.saveInBackgroundUsingCurrentContext(_:completion:errorHandler:)
                as (@escaping Block, Callback?, ErrorCallback?) -> Void)
        row("NSManagedObject +MR_createInContext:", User.mr_create(in:) as (Ctx) -> User?)
        row("NSManagedObject -MR_deleteInContext:", User.mr_delete(in:) as (User) -> (Ctx) -> Bool)
        row("NSManagedObject -MR_inThreadContext", User.mr_inThreadContext as (User) -> () -> User?)
        row(
            "NSPersistentStore +MR_cloudURLForUbiqutiousContainer:",
            Store.mr_cloudURL(forUbiqutiousContainer:) as (String) -> URL?)
    }

    @available(*, deprecated, message: "Names what is deprecated")
    private mutating func addDeprecatedContexts() {
        row("NSManagedObjectContext +MR_contextWithoutParent", Ctx.mr_contextWithoutParent as () -> Ctx)
        row("NSManagedObjectContext +MR_newContext", Ctx.mr_new as () -> Ctx)
        row("NSManagedObjectContext +MR_newContextWithParent:", Ctx.mr_newContext(withParent:) as (Ctx) -> Ctx)
        row(
            "NSManagedObjectContext +MR_newContextWithStoreCoordinator:",
            Ctx.mr_newContext(with:) as (Coordinator) -> Ctx)
        row("NSManagedObjectContext +MR_contextForCurrentThread", Ctx.mr_contextForCurrentThread as () -> Ctx)
        row(
            "NSManagedObjectContext +MR_clearNonMainThreadContextsCache",
            Ctx.mr_clearNonMainThreadContextsCache as () -> Void)
        row(
            "NSManagedObjectContext +MR_resetContextForCurrentThread", Ctx.mr_resetContextForCurrentThread as () -> Void
        )
        row("NSManagedObjectContext +MR_clearContextForCurrentThread", Ctx.mr_clearForCurrentThread as () -> Void)
        row("NSManagedObjectContext -MR_save", Ctx.mr_save as (Ctx) -> () -> Void)
        row(
            "NSManagedObjectContext -MR_saveWithErrorCallback:",
            Ctx.mr_saveWithErrorCallback as (Ctx) -> (ErrorCallback?) -> Void)
        row(
            "NSManagedObjectContext -MR_saveInBackgroundCompletion:",
            Ctx.mr_save(inBackgroundCompletion:) as (Ctx) -> (Callback?) -> Void)
        row(
            "NSManagedObjectContext -MR_saveInBackgroundErrorHandler:",
            { $0.mr_save(inBackgroundErrorHandler: $1) } as (Ctx, ErrorCallback?) -> Void)
        row(
            "NSManagedObjectContext -MR_saveInBackgroundErrorHandler:completion:",
            Ctx.mr_save(inBackgroundErrorHandler:completion:) as (Ctx) -> (ErrorCallback?, Callback?) -> Void)
        row("NSManagedObjectContext -MR_saveNestedContexts", Ctx.mr_saveNestedContexts as (Ctx) -> () -> Void)
        row(
            "NSManagedObjectContext -MR_saveNestedContextsErrorHandler:",
            { $0.mr_saveNestedContextsErrorHandler($1) } as (Ctx, ErrorCallback?) -> Void)
        row(
            "NSManagedObjectContext -MR_saveNestedContextsErrorHandler:completion:",
            Ctx.mr_saveNestedContextsErrorHandler(_:completion:) as (Ctx) -> (ErrorCallback?, Callback?) -> Void)
    }
}
