import MagicalRecord

extension LegacyNames {
    mutating func addObjects() {
        row("NSManagedObject +MR_entityName", User.mr_entityName as () -> String)
        row("NSManagedObject +MR_defaultBatchSize", User.mr_defaultBatchSize as () -> UInt)
        row("NSManagedObject +MR_setDefaultBatchSize:", User.mr_setDefaultBatchSize as (UInt) -> Void)
        row("NSManagedObject +MR_executeFetchRequest:inContext:", User.mr_execute(_:in:) as (Req, Ctx) -> [Obj]?)
        row("NSManagedObject +MR_executeFetchRequest:", { User.mr_execute($0) } as (Req) -> [Obj]?)
        row(
            "NSManagedObject +MR_executeFetchRequestAndReturnFirstObject:inContext:",
            User.mr_executeFetchRequestAndReturnFirstObject(_:in:) as (Req, Ctx) -> User?)
        row(
            "NSManagedObject +MR_executeFetchRequestAndReturnFirstObject:",
            { User.mr_executeFetchRequestAndReturnFirstObject($0) } as (Req) -> User?)
        row(
            "NSManagedObject +MR_entityDescriptionInContext:",
            User.mr_entityDescription(in:) as (Ctx) -> NSEntityDescription?)
        row("NSManagedObject +MR_entityDescription", { User.mr_entityDescription() } as () -> NSEntityDescription?)
        row(
            "NSManagedObject +MR_propertiesNamed:inContext:",
            User.mr_propertiesNamed(_:in:) as ([String], Ctx) -> [NSPropertyDescription]?)
        row(
            "NSManagedObject +MR_propertiesNamed:",
            { User.mr_propertiesNamed($0) } as ([String]) -> [NSPropertyDescription]?)
        row("NSManagedObject +MR_createEntityInContext:", User.mr_createEntity(in:) as (Ctx) -> User?)
        row("NSManagedObject +MR_createEntity", { User.mr_createEntity() } as () -> User?)
        row("NSManagedObject -MR_deleteEntityInContext:", User.mr_deleteEntity(in:) as (User) -> (Ctx) -> Bool)
        row("NSManagedObject -MR_deleteEntity", User.mr_deleteEntity as (User) -> () -> Bool)
        row(
            "NSManagedObject +MR_deleteAllMatchingPredicate:inContext:",
            User.mr_deleteAll(matching:in:) as (Pred, Ctx) -> Bool)
        row("NSManagedObject +MR_deleteAllMatchingPredicate:", { User.mr_deleteAll(matching: $0) } as (Pred) -> Bool)
        row("NSManagedObject +MR_truncateAllInContext:", User.mr_truncateAll(in:) as (Ctx) -> Bool)
        row("NSManagedObject +MR_truncateAll", { User.mr_truncateAll() } as () -> Bool)
        row(
            "NSManagedObject +MR_ascendingSortDescriptors:",
            User.mr_ascendingSortDescriptors as ([String]) -> [NSSortDescriptor])
        row(
            "NSManagedObject +MR_descendingSortDescriptors:",
            User.mr_descendingSortDescriptors as ([String]) -> [NSSortDescriptor])
        row("NSManagedObject -MR_inContext:", User.mr_(in:) as (User) -> (Ctx) -> User?)
        row("NSManagedObject +MR_createFetchRequest", { User.mr_createFetchRequest() } as () -> Req)
        row("NSManagedObject +MR_createFetchRequestInContext:", User.mr_createFetchRequest(in:) as (Ctx) -> Req)
        row("NSManagedObject +MR_requestAll", { User.mr_requestAll() } as () -> Req)
        row("NSManagedObject +MR_requestAllInContext:", { User.mr_requestAll(in: $0) } as (Ctx) -> Req)
        row("NSManagedObject +MR_requestAllWithPredicate:", { User.mr_requestAll(with: $0) } as (Pred?) -> Req)
        row(
            "NSManagedObject +MR_requestAllWithPredicate:inContext:",
            User.mr_requestAll(with:in:) as (Pred?, Ctx) -> Req)
        row(
            "NSManagedObject +MR_requestAllWhere:isEqualTo:",
            { User.mr_requestAllWhere($0, isEqualTo: $1) } as (String, Any?) -> Req)
        row(
            "NSManagedObject +MR_requestAllWhere:isEqualTo:inContext:",
            User.mr_requestAllWhere(_:isEqualTo:in:) as (String, Any?, Ctx) -> Req)
        row("NSManagedObject +MR_requestFirstWithPredicate:", { User.mr_requestFirst(with: $0) } as (Pred?) -> Req)
        row(
            "NSManagedObject +MR_requestFirstWithPredicate:inContext:",
            User.mr_requestFirst(with:in:) as (Pred?, Ctx) -> Req)
        row(
            "NSManagedObject +MR_requestFirstByAttribute:withValue:",
            { User.mr_requestFirst(byAttribute: $0, withValue: $1) } as (String, Any?) -> Req)
        row(
            "NSManagedObject +MR_requestFirstByAttribute:withValue:inContext:",
            User.mr_requestFirst(byAttribute:withValue:in:) as (String, Any?, Ctx) -> Req)
        row(
            "NSManagedObject +MR_requestAllSortedBy:ascending:",
            { User.mr_requestAllSorted(by: $0, ascending: $1) } as (String, Bool) -> Req)
        row(
            "NSManagedObject +MR_requestAllSortedBy:ascending:inContext:",
            { User.mr_requestAllSorted(by: $0, ascending: $1, in: $2) } as (String, Bool, Ctx) -> Req)
        row(
            "NSManagedObject +MR_requestAllSortedBy:ascending:withPredicate:",
            { User.mr_requestAllSorted(by: $0, ascending: $1, with: $2) } as (String, Bool, Pred?) -> Req)
        row(
            "NSManagedObject +MR_requestAllSortedBy:ascending:withPredicate:inContext:",
            User.mr_requestAllSorted(by:ascending:with:in:) as (String, Bool, Pred?, Ctx) -> Req)
        row("NSManagedObject +MR_importFromObject:inContext:", User.mr_import(from:in:) as (Any, Ctx) -> User)
        row("NSManagedObject +MR_importFromObject:", { User.mr_import(from: $0) } as (Any) -> User)
        row("NSManagedObject +MR_importFromArray:inContext:", User.mr_import(from:in:) as ([Options], Ctx) -> [Obj])
        row("NSManagedObject +MR_importFromArray:", { User.mr_import(from: $0) } as ([Options]) -> [Obj])
        row(
            "NSManagedObject -MR_importValuesForKeysWithObject:",
            User.mr_importValuesForKeys(with:) as (User) -> (Any) -> Bool)
    }

    mutating func addAggregates() {
        row(
            "NSManagedObject +MR_countOfEntitiesWithPredicate:inContext:",
            User.mr_countOfEntities(with:in:) as (Pred?, Ctx) -> UInt)
        row(
            "NSManagedObject +MR_countOfEntitiesWithPredicate:",
            { User.mr_countOfEntities(with: $0) } as (Pred?) -> UInt)
        row("NSManagedObject +MR_countOfEntitiesWithContext:", User.mr_countOfEntities(with:) as (Ctx) -> UInt)
        row("NSManagedObject +MR_countOfEntities", { User.mr_countOfEntities() } as () -> UInt)
        row(
            "NSManagedObject +MR_numberOfEntitiesWithPredicate:inContext:",
            User.mr_numberOfEntities(with:in:) as (Pred?, Ctx) -> NSNumber)
        row(
            "NSManagedObject +MR_numberOfEntitiesWithPredicate:",
            { User.mr_numberOfEntities(with: $0) } as (Pred?) -> NSNumber)
        row("NSManagedObject +MR_numberOfEntitiesWithContext:", User.mr_numberOfEntities(with:) as (Ctx) -> NSNumber)
        row("NSManagedObject +MR_numberOfEntities", { User.mr_numberOfEntities() } as () -> NSNumber)
        row(
            "NSManagedObject +MR_hasAtLeastOneEntityInContext:",
            User.mr_hasAtLeastOneEntity(in:) as (Ctx) -> Bool)
        row("NSManagedObject +MR_hasAtLeastOneEntity", { User.mr_hasAtLeastOneEntity() } as () -> Bool)
        row("NSManagedObject -MR_minValueFor:", User.mr_minValue(for:) as (User) -> (String) -> Any?)
        row("NSManagedObject -MR_maxValueFor:", User.mr_maxValue(for:) as (User) -> (String) -> Any?)
        row(
            "NSManagedObject -MR_objectWithMinValueFor:",
            User.mr_objectWithMinValue(for:) as (User) -> (String) -> User?)
        row(
            "NSManagedObject -MR_objectWithMinValueFor:inContext:",
            User.mr_objectWithMinValue(for:in:) as (User) -> (String, Ctx) -> User?)
        row(
            "NSManagedObject +MR_aggregateOperation:onAttribute:withPredicate:inContext:",
            User.mr_aggregateOperation(_:onAttribute:with:in:) as (String, String, Pred?, Ctx) -> Any?)
        row(
            "NSManagedObject +MR_aggregateOperation:onAttribute:withPredicate:",
            { User.mr_aggregateOperation($0, onAttribute: $1, with: $2) } as (String, String, Pred?) -> Any?)
        row(
            "NSManagedObject +MR_aggregateOperation:onAttribute:withPredicate:groupBy:inContext:",
            User.mr_aggregateOperation(_:onAttribute:with:groupBy:in:)
                as (String, String, Pred?, String?, Ctx) -> [Any]?)
        row(
            "NSManagedObject +MR_aggregateOperation:onAttribute:withPredicate:groupBy:",
            { User.mr_aggregateOperation($0, onAttribute: $1, with: $2, groupBy: $3) }
                as (String, String, Pred?, String?) -> [Any]?)
    }
}
