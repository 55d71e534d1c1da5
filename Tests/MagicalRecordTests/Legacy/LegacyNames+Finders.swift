import MagicalRecord

extension LegacyNames {
    mutating func addFinders() {
        row("NSManagedObject +MR_findAll", { User.mr_findAll() } as () -> [Obj]?)
        row("NSManagedObject +MR_findAllInContext:", { User.mr_findAll(in: $0) } as (Ctx) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllSortedBy:ascending:",
            { User.mr_findAllSorted(by: $0, ascending: $1) } as (String, Bool) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllSortedBy:ascending:inContext:",
            { User.mr_findAllSorted(by: $0, ascending: $1, in: $2) } as (String, Bool, Ctx) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllSortedBy:ascending:withPredicate:",
            { User.mr_findAllSorted(by: $0, ascending: $1, with: $2) } as (String, Bool, Pred?) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllSortedBy:ascending:withPredicate:inContext:",
            User.mr_findAllSorted(by:ascending:with:in:) as (String, Bool, Pred?, Ctx) -> [Obj]?)
        row("NSManagedObject +MR_findAllWithPredicate:", { User.mr_findAll(with: $0) } as (Pred?) -> [Obj]?)
        row(
            "NSManagedObject +MR_findAllWithPredicate:inContext:",
            User.mr_findAll(with:in:) as (Pred?, Ctx) -> [Obj]?)
        row("NSManagedObject +MR_findFirst", { User.mr_findFirst() } as () -> User?)
        row("NSManagedObject +MR_findFirstInContext:", { User.mr_findFirst(in: $0) } as (Ctx) -> User?)
        row("NSManagedObject +MR_findFirstWithPredicate:", { User.mr_findFirst(with: $0) } as (Pred?) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:inContext:",
            { User.mr_findFirst(with: $0, in: $1) } as (Pred?, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:sortedBy:ascending:",
            { User.mr_findFirst(with: $0, sortedBy: $1, ascending: $2) } as (Pred?, String?, Bool) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:sortedBy:ascending:inContext:",
            { User.mr_findFirst(with: $0, sortedBy: $1, ascending: $2, in: $3) } as (Pred?, String?, Bool, Ctx) -> User?
        )
        row(
            "NSManagedObject +MR_findFirstWithPredicate:andRetrieveAttributes:",
            { User.mr_findFirst(with: $0, andRetrieveAttributes: $1) } as (Pred?, [Any]?) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:andRetrieveAttributes:inContext:",
            User.mr_findFirst(with:andRetrieveAttributes:in:) as (Pred?, [Any]?, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:sortedBy:ascending:andRetrieveAttributes:",
            { User.mr_findFirst(with: $0, sortedBy: $1, ascending: $2, andRetrieveAttributes: $3) }
                as (Pred?, String?, Bool, [String]) -> User?)
        row(
            "NSManagedObject +MR_findFirstWithPredicate:sortedBy:ascending:inContext:andRetrieveAttributes:",
            User.mr_findFirst(with:sortedBy:ascending:in:andRetrieveAttributes:)
                as (Pred?, String?, Bool, Ctx, [String]) -> User?)
        row(
            "NSManagedObject +MR_findFirstByAttribute:withValue:",
            { User.mr_findFirst(byAttribute: $0, withValue: $1) } as (String, Any?) -> User?)
        row(
            "NSManagedObject +MR_findFirstByAttribute:withValue:inContext:",
            User.mr_findFirst(byAttribute:withValue:in:) as (String, Any?, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstOrderedByAttribute:ascending:",
            { User.mr_findFirstOrdered(byAttribute: $0, ascending: $1) } as (String, Bool) -> User?)
        row(
            "NSManagedObject +MR_findFirstOrderedByAttribute:ascending:inContext:",
            User.mr_findFirstOrdered(byAttribute:ascending:in:) as (String, Bool, Ctx) -> User?)
        row(
            "NSManagedObject +MR_findFirstOrCreateByAttribute:withValue:",
            { User.mr_findFirstOrCreate(byAttribute: $0, withValue: $1) } as (String, Any?) -> User)
        row(
            "NSManagedObject +MR_findFirstOrCreateByAttribute:withValue:inContext:",
            User.mr_findFirstOrCreate(byAttribute:withValue:in:) as (String, Any?, Ctx) -> User)
        row(
            "NSManagedObject +MR_findByAttribute:withValue:",
            { User.mr_find(byAttribute: $0, withValue: $1) } as (String, Any?) -> [Obj]?)
        row(
            "NSManagedObject +MR_findByAttribute:withValue:inContext:",
            User.mr_find(byAttribute:withValue:in:) as (String, Any?, Ctx) -> [Obj]?)
        row(
            "NSManagedObject +MR_findByAttribute:withValue:andOrderBy:ascending:",
            { User.mr_find(byAttribute: $0, withValue: $1, andOrderBy: $2, ascending: $3) }
                as (String, Any?, String?, Bool) -> [Obj]?)
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
        row("NSManagedObject +MR_fetchAllWithDelegate:", { User.mr_fetchAll(with: $0) } as (Delegate) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllWithDelegate:inContext:",
            User.mr_fetchAll(with:in:) as (Delegate, Ctx) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:",
            { User.mr_fetchAllSorted(by: $0, ascending: $1, with: $2, groupBy: $3, delegate: $4) }
                as (String?, Bool, Pred?, String?, Delegate) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllSortedBy:ascending:withPredicate:groupBy:delegate:inContext:",
            User.mr_fetchAllSorted(by:ascending:with:groupBy:delegate:in:)
                as (String?, Bool, Pred?, String?, Delegate, Ctx) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:",
            { User.mr_fetchAllGrouped(by: $0, with: $1, sortedBy: $2, ascending: $3) }
                as (String?, Pred?, String?, Bool) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:inContext:",
            { User.mr_fetchAllGrouped(by: $0, with: $1, sortedBy: $2, ascending: $3, in: $4) }
                as (String?, Pred?, String?, Bool, Ctx) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:",
            { User.mr_fetchAllGrouped(by: $0, with: $1, sortedBy: $2, ascending: $3, delegate: $4) }
                as (String?, Pred?, String?, Bool, Delegate) -> Controller)
        row(
            "NSManagedObject +MR_fetchAllGroupedBy:withPredicate:sortedBy:ascending:delegate:inContext:",
            User.mr_fetchAllGrouped(by:with:sortedBy:ascending:delegate:in:)
                as (String?, Pred?, String?, Bool, Delegate, Ctx) -> Controller)
    }
}
