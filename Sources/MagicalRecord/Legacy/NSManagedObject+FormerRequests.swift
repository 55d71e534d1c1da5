import CoreData

// Spellings of Swift 2: the compiler says what they are called since Swift 3.

extension NSManagedObject {
    @discardableResult
    @available(*, unavailable, renamed: "mr_createFetchRequest()")
    public static func MR_createFetchRequest() -> NSFetchRequest<any NSFetchRequestResult> { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_createFetchRequest(in:)")
    public static func MR_createFetchRequestInContext(_: Any?) -> NSFetchRequest<any NSFetchRequestResult> {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAll()")
    public static func MR_requestAll() -> NSFetchRequest<any NSFetchRequestResult> { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAll(in:)")
    public static func MR_requestAllInContext(_: Any?) -> NSFetchRequest<any NSFetchRequestResult> { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAll(with:)")
    public static func MR_requestAllWithPredicate(_: Any?) -> NSFetchRequest<any NSFetchRequestResult> { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAll(with:in:)")
    public static func MR_requestAllWithPredicate(_: Any?, inContext: Any?) -> NSFetchRequest<any NSFetchRequestResult>
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAllWhere(_:isEqualTo:)")
    public static func MR_requestAllWhere(_: Any?, isEqualTo: Any?) -> NSFetchRequest<any NSFetchRequestResult> {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAllWhere(_:isEqualTo:in:)")
    public static func MR_requestAllWhere(_: Any?, isEqualTo: Any?, inContext: Any?) -> NSFetchRequest<
        any NSFetchRequestResult
    > { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestFirst(with:)")
    public static func MR_requestFirstWithPredicate(_: Any?) -> NSFetchRequest<any NSFetchRequestResult> {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestFirst(with:in:)")
    public static func MR_requestFirstWithPredicate(_: Any?, inContext: Any?) -> NSFetchRequest<
        any NSFetchRequestResult
    > { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestFirst(byAttribute:withValue:)")
    public static func MR_requestFirstByAttribute(_: Any?, withValue: Any?) -> NSFetchRequest<any NSFetchRequestResult>
    { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestFirst(byAttribute:withValue:in:)")
    public static func MR_requestFirstByAttribute(_: Any?, withValue: Any?, inContext: Any?) -> NSFetchRequest<
        any NSFetchRequestResult
    > { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAllSorted(by:ascending:)")
    public static func MR_requestAllSortedBy(_: Any?, ascending: Any?) -> NSFetchRequest<any NSFetchRequestResult> {
        formerName()
    }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAllSorted(by:ascending:in:)")
    public static func MR_requestAllSortedBy(_: Any?, ascending: Any?, inContext: Any?) -> NSFetchRequest<
        any NSFetchRequestResult
    > { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAllSorted(by:ascending:with:)")
    public static func MR_requestAllSortedBy(_: Any?, ascending: Any?, withPredicate: Any?) -> NSFetchRequest<
        any NSFetchRequestResult
    > { formerName() }

    @discardableResult
    @available(*, unavailable, renamed: "mr_requestAllSorted(by:ascending:with:in:)")
    public static func MR_requestAllSortedBy(_: Any?, ascending: Any?, withPredicate: Any?, inContext: Any?)
        -> NSFetchRequest<any NSFetchRequestResult>
    { formerName() }
}
