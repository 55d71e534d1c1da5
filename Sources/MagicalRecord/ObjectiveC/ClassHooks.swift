#if canImport(ObjectiveC)
import CoreData
import ObjectiveC

/// What a class written in Objective-C says about its entity and how its objects are made.
///
/// The runtime remembers which methods a class has, so that asking costs little more than a call.
enum ClassHooks {
    private static let prefixedName = NSSelectorFromString("MR_entityName")
    private static let name = NSSelectorFromString("entityName")
    private static let insertion = NSSelectorFromString("insertInManagedObjectContext:")

    /// What the class's own `MR_entityName` returns; `nil` for a class that only inherits the framework's.
    static func overriddenName(of type: NSManagedObject.Type) -> String? {
        guard implementation(prefixedName, type) != implementation(prefixedName, NSManagedObject.self) else {
            return nil
        }
        return text(prefixedName, type)
    }

    /// What the class method `entityName` returns, as mogenerator writes it.
    static func generatedName(of type: NSManagedObject.Type) -> String? {
        (type as AnyObject as? NSObjectProtocol)?.responds(to: name) == true ? text(name, type) : nil
    }

    /// A new object from the class method `insertInManagedObjectContext:`, as mogenerator writes it.
    static func insertedObject(of type: NSManagedObject.Type, in context: NSManagedObjectContext) -> NSManagedObject? {
        guard let receiver = type as AnyObject as? NSObjectProtocol, receiver.responds(to: insertion) else {
            return nil
        }
        return receiver.perform(insertion, with: context)?.takeUnretainedValue() as? NSManagedObject
    }

    /// The address of a class method's code.
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
    /// A new object of this entity from its class's own way of making them, if the class has one for this entity.
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
