import Foundation

/// Options by name with pragmas apart: making the dictionary object that carries these as an option, and reading it again,
/// takes longer than opening a small store.
package struct NamedOptions {
    /// All options but the pragmas below.
    private(set) var values: [String: NSObject]
    /// Pragmas by name, in place of `NSSQLitePragmasOption`; empty when there are none, or they stand among the values.
    var pragmas: [String: NSObject] = [:]

    init(values: [String: NSObject]) { self.values = values }

    /// An option as it would be in a plain dictionary. Setting the option for pragmas replaces those set by name.
    subscript(key: String) -> NSObject? {
        get { key == NSSQLitePragmasOption && !pragmas.isEmpty ? pragmasOption : values[key] }
        set {
            if key == NSSQLitePragmasOption { pragmas = [:] }
            values[key] = newValue
        }
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
