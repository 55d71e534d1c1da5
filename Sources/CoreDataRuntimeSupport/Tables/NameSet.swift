/// A set of names. To the runtime it is one of the dictionaries that opening a store meets anyway: see ``ObjectTable``.
package struct NameSet {
    private var names: [String: Int]

    /// - Parameter minimumCapacity: how many names there is room for.
    package init(minimumCapacity: Int) { names = [String: Int](minimumCapacity: minimumCapacity) }

    /// Adds a name.
    ///
    /// - Returns: false if it was there already.
    package mutating func insert(_ name: String) -> Bool { names.updateValue(0, forKey: name) == nil }
}
