/// A set of names. Uses a dictionary type that opening a store instantiates anyway: see ``ObjectTable``.
package struct NameSet {
    private var names: [String: Int]

    /// Creates an empty set.
    ///
    /// - Parameter minimumCapacity: the number of names to reserve space for.
    package init(minimumCapacity: Int) { names = [String: Int](minimumCapacity: minimumCapacity) }

    /// Adds a name.
    ///
    /// - Returns: false if the set already contained it.
    package mutating func insert(_ name: String) -> Bool { names.updateValue(0, forKey: name) == nil }
}
