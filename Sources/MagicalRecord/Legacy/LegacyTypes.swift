import CoreData

/// A closure that works with a context. The original's name for it.
public typealias CoreDataBlock = (NSManagedObjectContext) -> Void

/// What the original's saves call at the end, always on the main queue: whether the context was saved, and the error.
///
/// Neither saved nor an error means that there was nothing to save.
public typealias MRSaveCompletionHandler = @Sendable (_ contextDidSave: Bool, _ error: (any Error)?) -> Void

/// The versions of the original, as its `version()` names them.
#if canImport(ObjectiveC)
@objc(MagicalRecordVersionTag)
#endif
public enum MagicalRecordVersionTag: UInt, Sendable {
    #if canImport(ObjectiveC)
    @objc(MagicalRecordVersionTag2_2)
    #endif
    case tag2_2 = 220
    #if canImport(ObjectiveC)
    @objc(MagicalRecordVersionTag2_3)
    #endif
    case tag2_3 = 230
    #if canImport(ObjectiveC)
    @objc(MagicalRecordVersionTag2_4)
    #endif
    case tag2_4 = 240
    #if canImport(ObjectiveC)
    @objc(MagicalRecordVersionTag3_0)
    #endif
    case tag3_0 = 300
}

/// The version of the original whose behaviour this framework follows.
public let MagicalRecordVersionNumber: Double = 2.4

/// How the original's saves behave. The empty set saves one context, asynchronously.
public struct MRSaveOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Save the parents too, up to the store.
    public static let parentContexts = MRSaveOptions(rawValue: 2)
    /// Return when everything has been saved.
    public static let synchronously = MRSaveOptions(rawValue: 4)
    /// Return when everything but the root context, which writes the store, has been saved. Wins over
    /// ``synchronously``.
    public static let synchronouslyExceptRootContext = MRSaveOptions(rawValue: 8)
}

/// The file name of a store without a name of its own.
public let kMagicalRecordDefaultStoreFileName = "CoreDataStore.sqlite"

extension NSNotification.Name {
    /// Posted by a context after it has merged changes that came from iCloud.
    public static let magicalRecordDidMergeChangesFromiCloud = NSNotification.Name(
        "kMagicalRecordDidMergeChangesFromiCloudNotification")
    /// Posted on the main queue after an iCloud set-up has ended.
    public static let magicalRecordPSCDidCompleteiCloudSetup = NSNotification.Name(
        "kMagicalRecordPSCDidCompleteiCloudSetupNotification")
}

/// What the original expected of classes written by mogenerator.
///
/// Its code only ever looked for the class method `entityName`, which ``MagicalRecord/EntityNaming`` asks for; the other two, which it
/// declared as methods of objects, come by themselves.
public protocol MagicalRecord_MOGenerator: MagicalRecord.EntityNaming {
    /// This object in another context, or `nil` when that context cannot see it.
    func entity(in context: NSManagedObjectContext) -> Self?
    /// A new object of this class in a context, or `nil` when the entity is unknown.
    func insert(in context: NSManagedObjectContext) -> Self?
}

extension MagicalRecord_MOGenerator {
    public func entity(in context: NSManagedObjectContext) -> Self? { mr_(in: context) }
    public func insert(in context: NSManagedObjectContext) -> Self? { Self.mr_createEntity(in: context) }
}
