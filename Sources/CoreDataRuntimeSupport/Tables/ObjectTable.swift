/// Objects by a number or a name: a dictionary that is the same to the runtime whatever class its objects are of.
///
/// The runtime takes some five microseconds to set up a kind of dictionary it has not met before, and opening a store meets
/// a dozen that hold objects by number or by name.
@usableFromInline
package struct ObjectTable<Key: Hashable, Object: AnyObject> {
    @usableFromInline var objects: [Key: AnyObject]

    /// - Parameter minimumCapacity: how many objects there is room for. Tables that grow have the runtime search the whole
    ///   program for how keys are hashed, the first time.
    @inlinable
    package init(minimumCapacity: Int) { objects = [Key: AnyObject](minimumCapacity: minimumCapacity) }

    @inlinable
    package var count: Int { objects.count }

    @inlinable @inline(__always)
    package subscript(key: Key) -> Object? {
        get { objects[key].map { unsafeDowncast($0, to: Object.self) } }
        set { objects[key] = newValue }
    }

    /// The objects, in no order.
    @inlinable
    package var values: some Collection<Object> { objects.values.lazy.map { unsafeDowncast($0, to: Object.self) } }

    @inlinable
    package mutating func removeAll() { objects.removeAll() }

    /// Keeps only the objects that the condition holds for.
    @inlinable
    package mutating func keepAll(where condition: (Object) -> Bool) {
        objects = objects.filter { condition(unsafeDowncast($0.value, to: Object.self)) }
    }
}

extension ObjectTable: @unchecked Sendable where Key: Sendable, Object: Sendable {}
