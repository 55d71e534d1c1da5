import Foundation

/// Options by name with pragmas apart: making the dictionary object that carries these as an option, and reading it again,
/// takes longer than opening a small store.
package struct NamedOptions {
    /// All options but the pragmas below.
    private(set) var values: [String: NSObject]
    /// Pragmas by name, in place of `NSSQLitePragmasOption`; empty when there are none, or they stand among the values.
    var pragmas: [String: NSObject] = [:]

    init(values: [String: NSObject]) { self.values = values }

    /// What stores are opened with unless told otherwise.
    init() {
        values = [String: NSObject](minimumCapacity: 6)
        values[NSMigratePersistentStoresAutomaticallyOption] = true as NSNumber
        values[NSInferMappingModelAutomaticallyOption] = true as NSNumber
    }

    /// An option as it would be in a plain dictionary. Setting the option for pragmas replaces those set by name.
    subscript(key: String) -> NSObject? {
        get { key == NSSQLitePragmasOption && !pragmas.isEmpty ? pragmasOption : values[key] }
        set {
            if key == NSSQLitePragmasOption { pragmas = [:] }
            values[key] = newValue
        }
    }

    /// Sets a pragma, or removes it with nil.
    mutating func setPragma(_ name: String, _ value: NSObject?) {
        if pragmas.isEmpty {
            pragmas = [String: NSObject](minimumCapacity: 6)
            for (name, value) in values[NSSQLitePragmasOption] as? [String: NSObject] ?? [:] { pragmas[name] = value }
            values[NSSQLitePragmasOption] = nil
        }
        pragmas[name] = value
    }

    /// All options as a plain dictionary.
    var named: [String: NSObject] {
        guard !pragmas.isEmpty else { return values }
        var named = values
        named[NSSQLitePragmasOption] = pragmasOption
        return named
    }

    /// The pragmas, wherever they stand.
    var knownPragmas: [String: NSObject] {
        pragmas.isEmpty ? values[NSSQLitePragmasOption] as? [String: NSObject] ?? [:] : pragmas
    }

    private var pragmasOption: NSObject {
        let option = NSMutableDictionary()
        for (name, value) in pragmas { option.setObject(value, forKey: name as NSString) }
        return option
    }
}
