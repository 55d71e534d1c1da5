/// Takes the value out of an `Any` whose type has been compared with `T` already.
///
/// A dynamic cast would compare again, and much more besides; this is several times faster. An `Any` that holds another
/// `Any` (`type(of:)` looks through both) is cast in the ordinary way.
///
/// - Precondition: `type(of: value) == T.self`.
@inline(__always)
func exactly<T>(_ value: Any, as type: T.Type) -> T {
    func open<Value>(_ value: Value) -> T {
        guard Value.self == T.self else { return value as! T }
        return withUnsafePointer(to: value) { UnsafeRawPointer($0).assumingMemoryBound(to: T.self).pointee }
    }
    return _openExistential(value, do: open)
}
