#if canImport(ObjectiveC)
import CoreData
import ObjectiveC

extension NSManagedObject {
    /// Calls a hook by name, if the object has it.
    ///
    /// - Returns: the result of the hook, true if it returns nothing; nil if there is no such hook.
    func callImportHook(_ name: String, _ argument: Any?) -> Bool? {
        let selector = NSSelectorFromString(name)
        guard let method = hookMethod(selector) else { return nil }
        if returnsNothing(method) {
            notifyImportHook(name, argument)
            return true
        }
        typealias Hook = @convention(c) (AnyObject, Selector, AnyObject?) -> Bool
        let hook = unsafeBitCast(method_getImplementation(method), to: Hook.self)
        return hook(self, selector, argument.map { $0 as AnyObject })
    }

    /// Calls a hook that returns nothing, if the object has it.
    func notifyImportHook(_ name: String, _ argument: Any?) {
        let selector = NSSelectorFromString(name)
        guard let method = hookMethod(selector) else { return }
        typealias Hook = @convention(c) (AnyObject, Selector, AnyObject?) -> Void
        let hook = unsafeBitCast(method_getImplementation(method), to: Hook.self)
        hook(self, selector, argument.map { $0 as AnyObject })
    }

    /// Returns a method of the object's class, if it takes exactly one argument.
    private func hookMethod(_ selector: Selector) -> Method? {
        guard let method = class_getInstanceMethod(type(of: self), selector),
            method_getNumberOfArguments(method) == 3
        else { return nil }
        return method
    }

    private func returnsNothing(_ method: Method) -> Bool {
        let type = method_copyReturnType(method)
        defer { free(type) }
        return type.pointee == CChar(UInt8(ascii: "v"))
    }
}
#endif
