#if canImport(ObjectiveC)
import CoreData
import ObjectiveC

/// Calls class methods by which an Objective-C class names its entity and creates its objects.
///
/// The runtime caches methods, so a lookup costs little more than a call.
enum ClassHooks {
    private static let prefixedName = NSSelectorFromString("MR_entityName")
    private static let name = NSSelectorFromString("entityName")
    private static let insertion = NSSelectorFromString("insertInManagedObjectContext:")

    /// Returns the result of the class's own `MR_entityName`; nil if the class only inherits the framework's.
    static func overriddenName(of type: NSManagedObject.Type) -> String? {
        guard implementation(prefixedName, type) != implementation(prefixedName, NSManagedObject.self) else {
            return nil
        }
        return text(prefixedName, type)
    }

    /// Returns the result of the class method `entityName`, which mogenerator generates; nil if there is none.
    static func generatedName(of type: NSManagedObject.Type) -> String? {
        (type as AnyObject as? NSObjectProtocol)?.responds(to: name) == true ? text(name, type) : nil
    }

    /// Creates an object by the class method `insertInManagedObjectContext:`, which mogenerator generates; nil if there is
    /// none.
    static func insertedObject(of type: NSManagedObject.Type, in context: NSManagedObjectContext) -> NSManagedObject? {
        guard let receiver = type as AnyObject as? NSObjectProtocol, receiver.responds(to: insertion) else {
            return nil
        }
        return receiver.perform(insertion, with: context)?.takeUnretainedValue() as? NSManagedObject
    }

    /// Returns the address of a class method's implementation.
    private static func implementation(_ selector: Selector, _ type: AnyClass) -> Int {
        class_getMethodImplementation(object_getClass(type), selector).map { unsafeBitCast($0, to: Int.self) } ?? 0
    }

    private static func text(_ selector: Selector, _ type: NSManagedObject.Type) -> String? {
        let result = (type as AnyObject as? NSObjectProtocol)?.perform(selector)?.takeUnretainedValue()
        guard let text = result as? String, !text.isEmpty else { return nil }
        return text
    }
}

extension NSEntityDescription {
    /// Creates an object by the insertion method of the entity's class; nil if the class has none for this entity.
    func objectFromItsClass(in context: NSManagedObjectContext) -> NSManagedObject? {
        guard let type = NSClassFromString(managedObjectClassName) as? NSManagedObject.Type,
            let object = ClassHooks.insertedObject(of: type, in: context)
        else { return nil }
        guard object.entity.name == name else {
            context.delete(object)
            return nil
        }
        return object
    }
}
#endif
