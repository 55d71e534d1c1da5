import Foundation

/// Options by name, with separate pragmas: creating and reading the dictionary that carries pragmas as an option takes longer
/// than opening a small store.
package struct NamedOptions {
    /// All options that were set, without the pragmas below.
    private var given: [String: NSObject]
    /// The pragmas by name, instead of `NSSQLitePragmasOption`; empty if there are none, or if they are among the options.
    package private(set) var pragmas: [String: NSObject] = [:]
    /// Whether automatic migration is on by default, because its option was not set. The defaults become objects only when
    /// read.
    private var migrates = false
    private var infersMapping = false

    package init(values: [String: NSObject]) { given = values }

    /// Creates the default options of a store.
    package init() {
        given = [:]
        migrates = true
        infersMapping = true
    }

    /// Accesses an option as in a plain dictionary. Setting the option for pragmas replaces those set by name.
    package subscript(key: String) -> NSObject? {
        get {
            if isOnUnlessSet(key) { return true as NSNumber }
            return key == NSSQLitePragmasOption && !pragmas.isEmpty ? pragmasOption : given[key]
        }
        set {
            switch key {
            case NSSQLitePragmasOption: pragmas = [:]
            case NSMigratePersistentStoresAutomaticallyOption: migrates = false
            case NSInferMappingModelAutomaticallyOption: infersMapping = false
            default: break
            }
            given[key] = newValue
        }
    }

    /// Returns an option's value, without creating an object for a default.
    package func value(_ key: String) -> Any? { isOnUnlessSet(key) ? true : self[key] }

    private func isOnUnlessSet(_ key: String) -> Bool {
        migrates && key == NSMigratePersistentStoresAutomaticallyOption
            || infersMapping && key == NSInferMappingModelAutomaticallyOption
    }

    /// Sets a pragma, or removes it with nil.
    package mutating func setPragma(_ name: String, _ value: NSObject?) {
        if pragmas.isEmpty {
            pragmas = [String: NSObject](minimumCapacity: 6)
            for (name, value) in given[NSSQLitePragmasOption] as? [String: NSObject] ?? [:] { pragmas[name] = value }
            given[NSSQLitePragmasOption] = nil
        }
        pragmas[name] = value
    }

    /// The options as a plain dictionary.
    package var named: [String: NSObject] {
        var named = given
        for key in [NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption]
        where isOnUnlessSet(key) {
            named[key] = true as NSNumber
        }
        if !pragmas.isEmpty { named[NSSQLitePragmasOption] = pragmasOption }
        return named
    }

    /// The pragmas, from either place.
    package var knownPragmas: [String: NSObject] {
        pragmas.isEmpty ? given[NSSQLitePragmasOption] as? [String: NSObject] ?? [:] : pragmas
    }

    private var pragmasOption: NSObject {
        let option = NSMutableDictionary()
        for (name, value) in pragmas { option.setObject(value, forKey: name as NSString) }
        return option
    }
}
