#if canImport(ObjectiveC)
import CoreData
import ObjectiveC

/// Adds the original's names without their prefix, for Objective-C: `[User findAll]` for `[User MR_findAll]`.
///
/// The original resolved such a name when it was first sent. Here every prefixed method gets its short name immediately, unless
/// the class already has a method of that name, Apple's or the program's.
enum Shorthand {
    /// Adds the names once; they cannot be removed, as in the original.
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

    private static func addNames(to type: AnyClass) {
        var count: UInt32 = 0
        guard let methods = class_copyMethodList(type, &count) else { return }
        defer { free(methods) }
        for method in UnsafeBufferPointer(start: methods, count: Int(count)) {
            let name = NSStringFromSelector(method_getName(method))
            // Not entityName, which a class of the program may implement: the framework calls it.
            guard name.hasPrefix("MR_"), name != "MR_entityName" else { continue }
            let short = NSSelectorFromString(String(name.dropFirst(3)))
            guard class_getInstanceMethod(type, short) == nil else { continue }
            class_addMethod(type, short, method_getImplementation(method), method_getTypeEncoding(method))
        }
    }
}
#endif
