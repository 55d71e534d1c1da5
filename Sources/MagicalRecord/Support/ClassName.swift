import Foundation

/// Determines the names of classes.
enum ClassName {
    /// Returns the name as `NSStringFromClass` does: `Module.Class`.
    ///
    /// Off Apple's platforms, the first call of that function builds a table of all of Foundation's classes, which takes longer
    /// than opening a store.
    static func full(_ type: AnyClass) -> String {
        #if canImport(ObjectiveC)
        NSStringFromClass(type)
        #else
        _typeName(type, qualified: true)
        #endif
    }
}
