/// Casts of an object to its class with another generic argument.
enum Retyping {
    /// Returns the same object. Only for classes with members that work whatever the generic argument is.
    static func reference<Class: AnyObject>(_ object: AnyObject, as type: Class.Type = Class.self) -> Class {
        Unmanaged<Class>.fromOpaque(Unmanaged.passUnretained(object).toOpaque()).takeUnretainedValue()
    }
}
