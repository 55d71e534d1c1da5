/// A table of objects by a number or a name: one dictionary type for all classes of objects.
///
/// The runtime takes some five microseconds to instantiate a dictionary type, and opening a store uses a dozen tables of
/// objects by number or by name.
@usableFromInline
package struct ObjectTable<Key: Hashable, Object: AnyObject> {
    @usableFromInline var objects: [Key: AnyObject]

    /// Creates an empty table.
    ///
    /// - Parameter minimumCapacity: the number of objects to reserve space for. The first table that grows makes the runtime
    ///   search the whole program for the key's conformance to `Hashable`.
    @inlinable
    package init(minimumCapacity: Int) { objects = [Key: AnyObject](minimumCapacity: minimumCapacity) }

    @inlinable
    package var count: Int { objects.count }

    @inlinable @inline(__always)
    package subscript(key: Key) -> Object? {
        get { objects[key].map { unsafeDowncast($0, to: Object.self) } }
        set { objects[key] = newValue }
    }

    /// The objects, in no particular order.
    @inlinable
    package var values: some Collection<Object> { objects.values.lazy.map { unsafeDowncast($0, to: Object.self) } }

    @inlinable
    package mutating func removeAll() { objects.removeAll() }

    /// Removes the objects that do not satisfy the condition.
    @inlinable
    package mutating func keepAll(where condition: (Object) -> Bool) {
        objects = objects.filter { condition(unsafeDowncast($0.value, to: Object.self)) }
    }
}

extension ObjectTable: @unchecked Sendable where Key: Sendable, Object: Sendable {}
