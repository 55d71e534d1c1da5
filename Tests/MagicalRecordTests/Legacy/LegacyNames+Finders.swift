import MagicalRecord

extension LegacyNames {
    mutating func addFinders() {
        row("NSManagedObject +MR_findAll", User.mr_findAll as () -> [Obj]?)
        row("NSManagedObject +MR_findAllInContext:", User.mr_findAll(in:) as (Ctx) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllSortedBy:ascending:",
            User.mr_findAllSorted(by:ascending:) as (String, Bool) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllSortedBy:ascending:inContext:",
            User.mr_findAllSorted(by:ascending:in:) as (String, Bool, Ctx) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllSortedBy:ascending:withPredicate:",
            User.mr_findAllSorted(by:ascending:with:) as (String, Bool, Pred?) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllSortedBy:ascending:withPredicate:inContext:",
            User.mr_findAllSorted(by:ascending:with:in:) as (String, Bool, Pred?, Ctx) -> [Obj]?)
        row("NSManagedObject +MR_findAllWithPredicate:", User.mr_findAll(with:) as (Pred?) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllWithPredicate:inContext:",
            User.mr_findAll(with:in:) as (Pred?, Ctx) -> [Obj]?)
        row("NSManagedObject +MR_findFirst", User.mr_findFirst as () -> User?)
        row("NSManagedObject +MR_findFirstInContext:", User.mr_findFirst(in:) as (Ctx) -> User?)
        row("NSManagedObject +MR_findFirstWithPredicate:", User.mr_findFirst(with:) as (Pred?) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:inContext:",
            User.mr_findFirst(with:in:) as (Pred?, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:sortedBy:ascending:",
            User.mr_findFirst(with:sortedBy:ascending:) as (Pred?, String?, Bool) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:sortedBy:ascending:inContext:",
            User.mr_findFirst(with:sortedBy:ascending:in:) as (Pred?, String?, Bool, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:andRetrieveAttributes:",
            User.mr_findFirst(with:andRetrieveAttributes:) as (Pred?, [Any]?) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:andRetrieveAttributes:inContext:",
            User.mr_findFirst(with:andRetrieveAttributes:in:) as (Pred?, [Any]?, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:sortedBy:ascending:andRetrieveAttributes:",
            User.mr_findFirst(with:sortedBy:ascending:andRetrieveAttributes:)
                as (Pred?, String?, Bool, [String]) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:sortedBy:ascending:inContext:andRetrieveAttributes:",
            User.mr_findFirst(with:sortedBy:ascending:in:andRetrieveAttributes:)
                as (Pred?, String?, Bool, Ctx, [String]) -> User?)
        row(
            "NSManagedObject +MR_findFirstByAttribute:withValue:",
            User.mr_findFirst(byAttribute:withValue:) as (String, Any?) -> User?)
        row(
            "NSManagedObject +MR_findFirstByAttribute:withValue:inContext:",
            User.mr_findFirst(byAttribute:withValue:in:) as (String, Any?, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstOrderedByAttribute:ascending:",
            User.mr_findFirstOrdered(byAttribute:ascending:) as (String, Bool) -> User?)
        row(
            "NSManagedObject +MR_findFirstOrderedByAttribute:ascending:inContext:",
            User.mr_findFirstOrdered(byAttribute:ascending:in:) as (String, Bool, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstOrCreateByAttribute:withValue:",
            User.mr_findFirstOrCreate(byAttribute:withValue:) as (String, Any?) -> User)
        row(
            "NSManagedObject +MR_findFirstOrCreateByAttribute:withValue:inContext:",
            User.mr_findFirstOrCreate(byAttribute:withValue:in:) as (String, Any?, Ctx) -> User)
        row(
            "NSManagedObject +MR_findByAttribute:withValue:",
            User.mr_find(byAttribute:withValue:) as (String, Any?) -> [Obj]?)
        row(
            "NSManagedObject +MR_findByAttribute:withValue:inContext:",
            User.mr_find(byAttribute:withValue:in:) as (String, Any?, Ctx) -> [Obj]?)
        row(
            "NSManagedObject +MR_findByAttribute:withValue:andOrderBy:ascending:",
            User.mr_find(byAttribute:withValue:andOrderBy:ascending:) as (String, Any?, String?, Bool) -> [Obj]?)
        row(
            "NSManagedObject +MR_findByAttribute:withValue:andOrderBy:ascending:inContext:",
            User.mr_find(byAttribute:withValue:andOrderBy:ascending:in:)
                as (String, Any?, String?, Bool, Ctx) -> [Obj]?)
    }

    mutating func addControllers() {
        row("NSManagedObject +MR_performFetch:", User.mr_performFetch as (Controller) -> Bool)
        row(
            "NSManagedObject +MR_fetchController:delegate:useFileCache:groupedBy:inContext:",
            User.mr_fetchController(_:delegate:useFileCache:groupedBy:in:)
                as (Req, Delegate, Bool, String?, Ctx) -> Controller)
        row("NSManagedObject +MR_fetchAllWithDelegate:", User.mr_fetchAll(with:) as (Delegate) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllWithDelegate:inContext:",
            User.mr_fetchAll(with:in:) as (Delegate, Ctx) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:",
            User.mr_fetchAllSorted(by:ascending:with:groupBy:delegate:)
                as (String?, Bool, Pred?, String?, Delegate) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:inContext:",
            User.mr_fetchAllSorted(by:ascending:with:groupBy:delegate:in:)
                as (String?, Bool, Pred?, String?, Delegate, Ctx) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:",
            User.mr_fetchAllGrouped(by:with:sortedBy:ascending:) as (String?, Pred?, String?, Bool) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:inContext:",
            User.mr_fetchAllGrouped(by:with:sortedBy:ascending:in:)
                as (String?, Pred?, String?, Bool, Ctx) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:",
            User.mr_fetchAllGrouped(by:with:sortedBy:ascending:delegate:)
                as (String?, Pred?, String?, Bool, Delegate) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:inContext:",
            User.mr_fetchAllGrouped(by:with:sortedBy:ascending:delegate:in:)
                as (String?, Pred?, String?, Bool, Delegate, Ctx) -> Controller)
    }
}
