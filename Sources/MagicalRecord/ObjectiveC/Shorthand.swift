#if canImport(ObjectiveC)
import CoreData
import ObjectiveC

/// The original's names without their prefix, for Objective-C: `[User findAll]` for `[User MR_findAll]`.
///
/// The original bound such a name when it was first sent. Here every prefixed method of the classes concerned gets its
/// short name at once, unless the class already has a method of that name: Apple's own, or one of the program's.
enum Shorthand {
    /// Added once in a program; there is no way back, as in the original.
    static let added: Void = {
        let classes: [AnyClass] = [
            NSManagedObject.self, NSManagedObjectContext.self, NSManagedObjectModel.self, NSPersistentStore.self,
            NSPersistentStoreCoordinator.self,
        ]
        for type in classes {
            addNames(to: type)
            if let meta = object_getClass(type) { addNames(to: meta) }
        }
    }()

    private static let prefix = "MR_"
    /// A class of the program's may have this one, and the framework asks for it.
    private static let leftOut: Set = ["entityName"]

    private static func addNames(to type: AnyClass) {
        var count: UInt32 = 0
        guard let methods = class_copyMethodList(type, &count) else { return }
        defer { free(methods) }
        for method in UnsafeBufferPointer(start: methods, count: Int(count)) {
            let name = NSStringFromSelector(method_getName(method))
            guard name.hasPrefix(prefix), !leftOut.contains(String(name.dropFirst(prefix.count))) else { continue }
            let short = NSSelectorFromString(String(name.dropFirst(prefix.count)))
            guard class_getInstanceMethod(type, short) == nil else { continue }
            class_addMethod(type, short, method_getImplementation(method), method_getTypeEncoding(method))
        }
    }
}
#endif
