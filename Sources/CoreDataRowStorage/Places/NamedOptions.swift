import Foundation

/// Options by name with pragmas apart: making the dictionary object that carries these as an option, and reading it again,
/// takes longer than opening a small store.
package struct NamedOptions {
    /// All options that were set, but the pragmas below.
    private var given: [String: NSObject]
    /// Pragmas by name, in place of `NSSQLitePragmasOption`; empty when there are none, or they stand among the options.
    package private(set) var pragmas: [String: NSObject] = [:]
    /// Whether the options for automatic migration are on because nobody set them. They become objects when somebody asks.
    private var migrates = false
    private var infersMapping = false

    package init(values: [String: NSObject]) { given = values }

    /// What stores are opened with unless told otherwise.
    package init() {
        given = [:]
        migrates = true
        infersMapping = true
    }

    /// An option as it would be in a plain dictionary. Setting the option for pragmas replaces those set by name.
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

    /// An option's value, as an object or not.
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

    /// All options as a plain dictionary.
    package var named: [String: NSObject] {
        var named = given
        for key in [NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption]
        where isOnUnlessSet(key) {
            named[key] = true as NSNumber
        }
        if !pragmas.isEmpty { named[NSSQLitePragmasOption] = pragmasOption }
        return named
    }

    /// The pragmas, wherever they stand.
    package var knownPragmas: [String: NSObject] {
        pragmas.isEmpty ? given[NSSQLitePragmasOption] as? [String: NSObject] ?? [:] : pragmas
    }

    private var pragmasOption: NSObject {
        let option = NSMutableDictionary()
        for (name, value) in pragmas { option.setObject(value, forKey: name as NSString) }
        return option
    }
}
