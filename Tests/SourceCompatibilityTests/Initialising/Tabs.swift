import CoreData
import Foundation

/// A class that adds nothing but stored properties with defaults, and a way to make its objects.
class Tab: NSManagedObject {
    @NSManaged var title: String?
    var visits = [1]
    lazy var letters = Array(title ?? "")

    convenience init(title: String, in context: NSManagedObjectContext) {
        self.init(context: context)
        self.title = title
    }
}

/// Another designated initialiser, and Apple's overridden.
class PinnedTab: NSManagedObject {
    @NSManaged var title: String?
    let origin: String

    init(context: NSManagedObjectContext, title: String) {
        origin = "own"
        super.init(entity: NSEntityDescription.entity(forEntityName: "PinnedTab", in: context)!, insertInto: context)
        self.title = title
    }

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        origin = "framework"
        super.init(entity: entity, insertInto: context)
    }
}

/// Inherits both.
final class WindowTab: PinnedTab {
    private(set) var windows = 2
}

/// A designated initialiser of its own, and nothing else: on Apple's platforms, too, its objects are made by the program only.
final class LooseTab: NSManagedObject {
    @NSManaged var title: String?
    var marks: [String] = ["new"]

    init(context: NSManagedObjectContext, title: String) {
        super.init(entity: NSEntityDescription.entity(forEntityName: "LooseTab", in: context)!, insertInto: context)
        self.title = title
    }
}

/// A required initialiser.
class RequiredTab: NSManagedObject {
    @NSManaged var title: String?
    var origin = "framework"

    required override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    required init(titled title: String, in context: NSManagedObjectContext) {
        super.init(entity: NSEntityDescription.entity(forEntityName: "RequiredTab", in: context)!, insertInto: context)
        origin = "required"
        self.title = title
    }

    class func make(_ title: String, in context: NSManagedObjectContext) -> Self { Self(titled: title, in: context) }
}

/// A class of the main actor.
@MainActor final class ShownTab: NSManagedObject {
    var shown = 0

    init(context: NSManagedObjectContext, shown: Int) {
        self.shown = shown
        super.init(entity: NSEntityDescription.entity(forEntityName: "ShownTab", in: context)!, insertInto: context)
    }

    override nonisolated init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }
}

/// A generic class, whose objects the program makes, and one below it, which the model names.
class TypedTab<Value>: NSManagedObject {
    var values: [Value] = []

    init(context: NSManagedObjectContext, values: [Value]) {
        self.values = values
        super.init(entity: NSEntityDescription.entity(forEntityName: "NumberTab", in: context)!, insertInto: context)
    }

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }
}

final class NumberTab: TypedTab<Int> {
    var factor = 10
}

// MARK: Stores

/// An atomic store with an initialiser of its own beside Apple's.
final class TabFileStore: NSAtomicStore, @unchecked Sendable {
    let origin: String

    init(testing: Bool) {
        origin = "test"
        super.init(persistentStoreCoordinator: nil, configurationName: nil, at: URL(fileURLWithPath: "/"), options: nil)
    }

    override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        origin = "coordinator"
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    override var type: String { "TabFileStore" }
    override func loadMetadata() throws { metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: UUID().uuidString] }
    override func load() throws {}
    override func save() throws {}
}

/// An incremental store with an initialiser of its own, which the program makes itself.
final class TabServiceStore: NSIncrementalStore, @unchecked Sendable {
    let host: String

    init(host: String) {
        self.host = host
        super.init(persistentStoreCoordinator: nil, configurationName: nil, at: URL(fileURLWithPath: "/"), options: nil)
    }

    override var type: String { "TabServiceStore" }
}

/// A transformer with an initialiser of its own.
final class TabTransformer: ValueTransformer, @unchecked Sendable {
    let prefix: String

    init(prefix: String) {
        self.prefix = prefix
        super.init()
    }

    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { prefix + $0 } }
}
