import Foundation

/// The names of classes.
enum ClassName {
    /// The name as `NSStringFromClass` gives it: `Module.Class`.
    ///
    /// Off Apple, that function makes a table of all of Foundation's classes when it is first called, which takes longer
    /// than opening a store.
    static func full(_ type: AnyClass) -> String {
        #if canImport(ObjectiveC)
        NSStringFromClass(type)
        #else
        _typeName(type, qualified: true)
        #endif
    }
}
