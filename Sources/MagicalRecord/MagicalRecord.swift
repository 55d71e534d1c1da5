@_exported import CoreData

/// The front door of the framework: setting up Core Data in one line, saving, and the options that hold for the
/// whole program.
///
/// ```swift
/// try MagicalRecord.setUp()
/// let ann = try User.findFirst(where: \.userID == 7)
/// try await MagicalRecord.save { context in
///     let user = try User.findFirstOrCreate(where: \.userID, equals: 8, in: context)
///     user.displayName = "Bob"
/// }
/// ```
///
/// Everything here works on the *default stack*, the one ``setUp(_:shape:migration:model:)-(MagicalRecord.Store,_,_,_)`` builds. It is a
/// convenience, never a requirement: a ``Stack`` of your own offers the same functions, and every finder takes a
/// context.
///
/// The class has no instances. Its functions may be called from any thread.
#if canImport(ObjectiveC)
@objc(MagicalRecord)
#endif
open class MagicalRecord: NSObject {
    override private init() {
        super.init()
    }
}
