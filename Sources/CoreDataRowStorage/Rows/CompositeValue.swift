import Foundation

/// The value of a composite attribute: a dictionary of its elements, in which composite elements are nested dictionaries.
package enum CompositeValue {
    /// Returns the value at a path below a composite attribute; nil if there is none.
    package static func element(at path: some Sequence<String>, of whole: [String: Any]) -> Any? {
        var current: Any? = whole
        for name in path { current = (current as? [String: Any])?[name] }
        return current
    }

    /// Sets the value at a path below a composite attribute.
    package static func set(_ value: Any?, at path: ArraySlice<String>, of whole: inout [String: Any]) {
        guard let name = path.first else { return }
        if path.count == 1 {
            whole[name] = value
        } else {
            var nested = whole[name] as? [String: Any] ?? [:]
            set(value, at: path.dropFirst(), of: &nested)
            whole[name] = nested.isEmpty ? nil : nested
        }
    }

    /// Returns the path of an entry in a dictionary that is not the value of an element; nil if there is none.
    ///
    /// - Parameter elements: the paths of the elements that are not composite.
    package static func strayPath(in whole: [String: Any], elements: [ArraySlice<String>]) -> String? {
        for (name, value) in whole {
            let below = elements.filter { $0.first == name }
            if below.contains(where: { $0.count == 1 }) || !below.isEmpty && value is NSNull { continue }
            guard !below.isEmpty, let nested = value as? [String: Any] else { return name }
            if let path = strayPath(in: nested, elements: below.map { $0.dropFirst() }) { return "\(name).\(path)" }
        }
        return nil
    }
}
