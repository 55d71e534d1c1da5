/// Names one object by another generic argument of its class.
enum Retyping {
    /// The same object. Only for classes whose members all work whatever the generic argument is.
    static func reference<Class: AnyObject>(_ object: AnyObject, as type: Class.Type = Class.self) -> Class {
        Unmanaged<Class>.fromOpaque(Unmanaged.passUnretained(object).toOpaque()).takeUnretainedValue()
    }
}
